import { isLoopback } from '../api/loopback.js';
import { type Client, createClient } from '../client/client.js';
import { formatCurlCommand } from '../client/curl-command.js';
import { firstPageNotice, RequestPreview } from '../client/request-preview.js';
import { apiKeyVariable } from '../config/environment.js';
import { resolveAddress, type TargetOptions } from '../config/target.js';
import { type Failure, usageError } from '../failure.js';
import type { Surroundings } from './runtime.js';
import { flagsTo } from './same-service-flags.js';

/**
 * Returns a client that throws its first request as a `RequestPreview` with a curl command. It sends nothing,
 * reserves no quota and reads no API key.
 */
export async function openCurl(
  choices: TargetOptions,
  { world, settings, say, warning }: Pick<Surroundings, 'world' | 'settings' | 'say' | 'warning'>,
): Promise<Client> {
  const place = resolveAddress(choices);
  if (place.kind === 'sandbox') {
    throw usageError(
      'no_address',
      'the sandbox is in this process, where curl cannot reach it',
      'petstore serve runs the same store for others: --base-url http://127.0.0.1:4010/v1',
    );
  }
  const { origin, path, warnings } = place.baseUrl;
  for (const text of warnings) warning(text);
  const direct = isLoopback(new URL(origin).hostname);
  const sameStore = () => flagsTo(origin + path, choices);
  const client = createClient({
    // The API key is not read. The preview names its variable instead.
    endpoint: {
      origin,
      basePath: path,
      authorization: '',
      userAgent: `petstore-cli/${world.version}`,
    },
    send: async (request) => {
      if (!choices.env[apiKeyVariable]) {
        const token = `petstore auth token${sameStore()}`;
        say(`its key is in ${apiKeyVariable}: export ${apiKeyVariable}="$(${token})"`);
      }
      throw new RequestPreview(formatCurlCommand(request, { timeout: settings.timeout, direct }));
    },
    clock: world.clock,
    signal: world.signal,
    keySource: apiKeyVariable,
    serviceFlags: sameStore,
    onSchemaViolation: warning,
  });
  return {
    ...client,
    paginate: (operation, input) => {
      say(firstPageNotice);
      return client.paginate(operation, input);
    },
  };
}

/** Returns the failure for an import, which sends many requests. */
export function tooMany(): Failure {
  return usageError(
    'invalid_flag',
    'an import is many requests, and --curl shows one',
    'petstore pets add --curl shows that of one pet',
  );
}
