import { isLoopback } from '../api/loopback.js';
import { createClient } from '../client/client.js';
import { type Client, firstPageAlone, InsteadOfSending } from '../client/client-types.js';
import { curlCommand } from '../client/curl-command.js';
import { apiKeyVariable } from '../config/environment.js';
import { resolveAddress } from '../config/target.js';
import { type Failure, usageError } from '../failure.js';
import { type AppContext, targetOptions } from './context.js';
import { flagsTo } from './same-service-flags.js';

/**
 * A client that ends the command at its first request, with that request as a command of curl. It sends nothing,
 * reserves nothing of the quota and asks nobody for a key.
 */
export async function openCurl(context: AppContext): Promise<Client> {
  const { runtime, settings, terminal } = context;
  const target = targetOptions(context);
  const place = resolveAddress(target);
  if (place.kind === 'sandbox') {
    throw usageError(
      'no_address',
      'the sandbox is in this process, where curl cannot reach it',
      'petstore serve runs the same store for others: --base-url http://127.0.0.1:4010/v1',
    );
  }
  const { origin, path, warnings } = place.baseUrl;
  for (const text of warnings) terminal.warn(text);
  const direct = isLoopback(new URL(origin).hostname);
  const sameStore = () => flagsTo(origin + path, target);
  const client = createClient({
    // The key is not read, and what stands in its place is not printed either.
    destination: { origin, path, authorization: '', userAgent: `petstore-cli/${runtime.version}` },
    send: async (request) => {
      if (!target.env[apiKeyVariable]) {
        const token = `petstore auth token${sameStore()}`;
        terminal.notice(`its key is in ${apiKeyVariable}: export ${apiKeyVariable}="$(${token})"`);
      }
      throw new InsteadOfSending(curlCommand(request, { timeout: settings.timeoutMs, direct }));
    },
    clock: context.clock,
    signal: context.signal,
    keySource: apiKeyVariable,
    sameStore,
    onOddity: terminal.warn,
  });
  return {
    ...client,
    pages: (operation, input) => {
      terminal.notice(firstPageAlone);
      return client.pages(operation, input);
    },
  };
}

/** Of an import, whose rows are known only once a journal is open for them. */
export function tooMany(): Failure {
  return usageError(
    'invalid_flag',
    'an import is many requests, and --curl shows one',
    'petstore pets add --curl shows that of one pet',
  );
}
