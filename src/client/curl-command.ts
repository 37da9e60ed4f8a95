import type { HttpRequest } from '../api/http.js';
import { apiKeyVariable } from '../config/environment.js';
import { formatPrintfCommand, quoteShellWord } from '../format/shell.js';

/**
 * Returns a POSIX shell command that sends the same request with curl. `-g` keeps the URL unchanged and `-q` ignores
 * `.curlrc`. The API key is read from its variable, so the command can be shared. `direct` bypasses any proxy;
 * `timeout` is in milliseconds.
 */
export function formatCurlCommand(
  { method, origin, target, headers, body }: HttpRequest,
  { timeout, direct }: { readonly timeout: number; readonly direct: boolean },
): string {
  const quotedBody = body && quoteBody(body);
  const lines = [
    `curl -q -g -sS --connect-timeout 5 --max-time ${timeout / 1000}`,
    ...(direct ? ["--noproxy '*'"] : []),
    ...methodFlags(method, body !== undefined),
    `-H "Authorization: Bearer $${apiKeyVariable}"`,
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      .map(([name, value]) => `-H ${quoteShellWord(formatHeader(name, String(value)))}`),
    // Stops curl from sending Expect: 100-continue before a large body.
    ...(body && body.length >= 1_024 ? ["-H 'Expect:'"] : []),
    ...(body ? [quotedBody === undefined ? '--data-binary @-' : `--data-raw ${quotedBody}`] : []),
    quoteShellWord(origin + target),
  ];
  const input = body && quotedBody === undefined ? `${formatPrintfCommand(body)} | ` : '';
  return `${input}${lines.join(' \\\n  ')}\n`;
}

function methodFlags(method: string, hasBody: boolean): readonly string[] {
  if (method === 'GET' && !hasBody) return [];
  // With -X HEAD, curl waits for a body that never comes.
  return [method === 'HEAD' && !hasBody ? '--head' : `-X ${method}`];
}

/** Returns curl's notation, in which `name:` removes a header and `name;` sends an empty one. */
function formatHeader(name: string, value: string): string {
  return value.trim() === '' ? `${name};` : `${name}: ${value}`;
}

/** Linux rejects an argument of more than 128 KiB. */
const maxArgumentBytes = 100_000;

/** Returns the quoted body, or nothing if it is too long, not UTF-8 or contains NUL. */
function quoteBody(body: Uint8Array): string | undefined {
  if (body.length > maxArgumentBytes || body.includes(0)) return undefined;
  try {
    return quoteShellWord(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}
