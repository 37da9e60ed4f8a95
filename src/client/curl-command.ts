import { isUtf8 } from 'node:buffer';
import type { HttpRequest } from '../api/http.js';
import { apiKeyVariable } from '../config/environment.js';
import { formatPrintfCommand, quoteShellWord } from '../format/shell.js';

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
