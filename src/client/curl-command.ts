import type { HttpRequest } from '../api/http.js';
import { apiKeyVariable } from '../config/environment.js';
import { formatPrintfCommand, quoteShellWord } from '../format/shell.js';

interface CurlOptions {
  readonly timeoutMs: number;
  readonly bypassesProxy: boolean;
}

/**
 * Returns a command for a POSIX shell that sends the same request with curl. `-g` keeps the URL unchanged and `-q`
 * ignores `.curlrc`. The API key is read from its variable, so the command can be shared.
 */
export function formatCurlCommand(
  { method, origin, target, headers, body }: HttpRequest,
  { timeoutMs, bypassesProxy }: CurlOptions,
): string {
  const quotedBody = body && quoteBody(body);
  const lines = [
    `curl -q -g -sS --connect-timeout 5 --max-time ${timeoutMs / 1000}`,
    ...(bypassesProxy ? ["--noproxy '*'"] : []),
    ...methodFlags({ method, body }),
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

function methodFlags({ method, body }: { readonly method: string; readonly body: unknown }): readonly string[] {
  if (method === 'GET' && body === undefined) return [];
  // With -X HEAD, curl waits for a body that never comes.
  return [method === 'HEAD' && body === undefined ? '--head' : `-X ${method}`];
}

/** Returns curl's notation, in which `name:` removes a header and `name;` sends an empty one. */
function formatHeader(name: string, value: string): string {
  return value.trim() === '' ? `${name};` : `${name}: ${value}`;
}

/** Linux rejects an argument of more than 128 KiB. */
const maxArgumentBytes = 100_000;

/** Returns the quoted body, or nothing if it is too long, not UTF-8 or contains NUL. */
function quoteBody(body: Uint8Array): string | undefined {
  const text = body.length > maxArgumentBytes || body.includes(0) ? undefined : decodeUtf8(body);
  return text === undefined ? undefined : quoteShellWord(text);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
