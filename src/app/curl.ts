import { isLoopback } from '../api/http.js';
import { type Client, createClient } from '../client/client.js';
import { formatCurlCommand } from '../client/curl-command.js';
import { firstPageNotice, RequestPreview } from '../client/transport-error.js';
import { apiKeyVariable } from '../config/environment.js';
import { getTargetFlags } from '../config/settings.js';
import { resolveAddress } from '../config/target.js';
import { type Failure, type Hint, usageError } from '../failure.js';
import { formatHint } from '../format/hint.js';
import type { AppContext } from './context.js';
import { targetOptions } from './transport.js';

/**
 * Returns a client that throws each request as a `RequestPreview` with a curl command. It sends nothing,
 * reserves no quota and reads no API key.
 */
export async function openCurlClient(context: AppContext): Promise<Client> {
  const { runtime, settings, terminal } = context;
  const target = targetOptions(context);
  const place = resolveAddress(target);
  if (place.kind === 'sandbox') {
    throw usageError(
      'no_address',
      'the sandbox has no HTTP endpoint for curl',
      'run petstore serve, then pass --base-url http://127.0.0.1:4010/v1',
    );
  }
  const { origin, path, warnings } = place.baseUrl;
  for (const text of warnings) terminal.warn(text);
  const bypassesProxy = isLoopback(new URL(origin).hostname);
  const noticed = new Set<string>();
  const noticeOnce = (text: string) => {
    if (!noticed.has(text)) terminal.notice(text);
    noticed.add(text);
  };
  const serviceFlags = getTargetFlags(context.flags);
  const client = createClient({
    // The API key is not read. The preview names its variable instead.
    endpoint: {
      origin,
      basePath: path,
      authorization: '',
      userAgent: `petstore-cli/${runtime.version}`,
    },
    send: async (request) => {
      if (!target.env[apiKeyVariable]) {
        const token = { words: ['auth', 'token', ...serviceFlags] };
        const assignment: Hint =
          runtime.platform === 'win32'
            ? [`$env:${apiKeyVariable} = `, token]
            : [`export ${apiKeyVariable}="$(`, token, ')"'];
        noticeOnce(`Set the API key before you run the command: ${formatHint(assignment, runtime.platform)}`);
      }
      throw new RequestPreview(
        formatCurlCommand(request, { timeoutMs: settings.timeoutMs, bypassesProxy, platform: runtime.platform }),
      );
    },
    clock: context.clock,
    signal: context.signal,
    keySource: apiKeyVariable,
    serviceFlags,
    onWarning: terminal.warn,
  });
  return {
    ...client,
    paginate: (operation, input) => {
      noticeOnce(firstPageNotice);
      return client.paginate(operation, input);
    },
  };
}

/** Returns the failure for an import, which sends many requests. */
export function importNotPreviewable(): Failure {
  return usageError(
    'invalid_flag',
    'an import sends many requests, but --curl prints only one',
    'run petstore pets add --name Rex --category-id 7 --curl to print the request for one pet',
  );
}
