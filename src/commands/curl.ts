import { isUtf8 } from 'node:buffer';
import { type HttpRequest, isLoopback } from '../api/http.js';
import type { AppContext } from '../app/context.js';
import type { CommandResult } from '../cli/command-result.js';
import type { ServiceEndpoint } from '../client/request.js';
import { apiKeyVariable } from '../config/environment.js';
import { getTargetFlags, sandboxProfileName } from '../config/settings.js';
import { usageError } from '../failure.js';
import { formatPrintfCommand, quoteShellWord } from '../format/shell.js';

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
  // The sandbox has no API key for another service.
  if (!env[apiKeyVariable] && settings.profile === sandboxProfileName) {
    terminal.notice(`Set ${apiKeyVariable} before you run the command.`);
  } else if (!env[apiKeyVariable]) {
    const token = { words: ['auth', 'token', ...getTargetFlags(settings)] };
    // The shell that runs curl reads the variable, which need not be exported.
    terminal.notice([`Set the API key before you run the command: ${apiKeyVariable}="$(`, token, ')"']);
  }
  const bypassesProxy = isLoopback(new URL(request.origin).hostname);
  return { kind: 'text', text: formatCurlCommand(request, { timeoutMs: settings.timeoutMs, bypassesProxy }) };
}

interface CurlOptions {
  readonly timeoutMs: number;
  readonly bypassesProxy: boolean;
}

/** Linux rejects an argument of more than 128 KiB. */
const maxArgumentBytes = 100_000;

/**
 * Returns a command for a POSIX shell that sends the same request with curl. `-g` keeps the URL unchanged and `-q`
 * ignores `.curlrc`. The API key is read from its variable, so the command can be shared.
 */
export function formatCurlCommand(
  { method, origin, target, headers, body }: HttpRequest,
  { timeoutMs, bypassesProxy }: CurlOptions,
): string {
  const isText = body && body.length <= maxArgumentBytes && isUtf8(body) && !body.includes(0);
  const lines = [
    `curl -q -g -sS --connect-timeout 5 --max-time ${timeoutMs / 1000}`,
    ...(bypassesProxy ? ["--noproxy '*'"] : []),
    // With -X HEAD, curl waits for a body that never comes.
    ...(method === 'GET' && !body ? [] : method === 'HEAD' ? ['--head'] : [`-X ${method}`]),
    `-H "Authorization: Bearer $${apiKeyVariable}"`,
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      // In curl, `name:` removes a header and `name;` sends an empty one.
      .map(([name, value]) => `-H ${quoteShellWord(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(body ? [isText ? `--data-raw ${quoteShellWord(Buffer.from(body).toString())}` : '--data-binary @-'] : []),
    quoteShellWord(origin + target),
  ];
  const input = body && !isText ? `${formatPrintfCommand(body)} | ` : '';
  return `${input}${lines.join(' \\\n  ')}\n`;
}
