import { type HttpRequest, isLoopback } from '../api/http.js';
import type { AppContext } from '../app/context.js';
import type { CommandResult } from '../cli/command-result.js';
import { formatCurlCommand } from '../client/curl-command.js';
import type { ServiceEndpoint } from '../client/request.js';
import { apiKeyVariable } from '../config/environment.js';
import { getTargetFlags } from '../config/settings.js';
import { usageError } from '../failure.js';

/** Returns the service that requests are built for, without its API key. Throws a usage error for the sandbox. */
export function openCurlEndpoint({ runtime, config, terminal }: AppContext): ServiceEndpoint {
  const place = config.resolveAddress();
  if (place.kind === 'sandbox') {
    throw usageError(
      'invalid_flag',
      'the sandbox has no HTTP endpoint for curl',
      'run petstore serve, then pass --base-url http://127.0.0.1:4010/v1',
    );
  }
  const { origin, path, warning } = place.baseUrl;
  if (warning !== undefined) terminal.warn(warning);
  return { origin, basePath: path, authorization: '', userAgent: `petstore-cli/${runtime.version}` };
}

/** Returns the request as a curl command that reads the API key from its variable, and says how to set the variable. */
export function formatCurl(
  { runtime: { env }, settings, terminal }: AppContext,
  request: HttpRequest,
  { hasMorePages = false }: { readonly hasMorePages?: boolean | undefined } = {},
): CommandResult {
  if (hasMorePages) terminal.notice('curl fetches only the first page.');
  if (!env[apiKeyVariable]) {
    const token = { words: ['auth', 'token', ...getTargetFlags(settings)] };
    // The shell that runs curl reads the variable, which need not be exported.
    terminal.notice([`Set the API key before you run the command: ${apiKeyVariable}="$(`, token, ')"']);
  }
  const bypassesProxy = isLoopback(new URL(request.origin).hostname);
  return { kind: 'text', text: formatCurlCommand(request, { timeoutMs: settings.timeoutMs, bypassesProxy }) };
}
