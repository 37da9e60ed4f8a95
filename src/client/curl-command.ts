import type { HttpRequest } from '../api/http.js';
import { apiKeyVariable } from '../config/environment.js';
import { formatPrintfCommand, quoteShellWord } from '../format/shell.js';

/**
 * A request as a command of curl for a POSIX shell that sends the same: the same headers and bytes, to the same
 * address letter by letter (`-g`), under the same deadline, following no redirect and reading no `.curlrc` (`-q`).
 * The variable stands for the key, which is in no command that is printed. `direct` keeps it from going through a
 * proxy; `timeout` in milliseconds.
 */
export function curlCommand(
  { method, origin, target, headers, body }: HttpRequest,
  { timeout, direct }: { readonly timeout: number; readonly direct: boolean },
): string {
  const text = body && wordOf(body);
  const lines = [
    `curl -q -g -sS --connect-timeout 5 --max-time ${timeout / 1000}`,
    ...(direct ? ["--noproxy '*'"] : []),
    ...methodOf(method, body !== undefined),
    `-H "Authorization: Bearer $${apiKeyVariable}"`,
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      .map(([name, value]) => `-H ${quoteShellWord(headerLine(name, String(value)))}`),
    // curl would ask the service first whether it wants a large body.
    ...(body && body.length >= 1_024 ? ["-H 'Expect:'"] : []),
    ...(body ? [text === undefined ? '--data-binary @-' : `--data-raw ${text}`] : []),
    quoteShellWord(origin + target),
  ];
  const input = body && text === undefined ? `${formatPrintfCommand(body)} | ` : '';
  return `${input}${lines.join(' \\\n  ')}\n`;
}

function methodOf(method: string, hasBody: boolean): readonly string[] {
  if (method === 'GET' && !hasBody) return [];
  // To anything else curl would wait for the body that HEAD never brings.
  return [method === 'HEAD' && !hasBody ? '--head' : `-X ${method}`];
}

/** To curl a header with nothing after its colon is one to leave out. */
function headerLine(name: string, value: string): string {
  return value.trim() === '' ? `${name};` : `${name}: ${value}`;
}

/** Longer ones are refused by some systems. */
const longestWord = 100_000;

/** The body as a word, or nothing where it is none: not UTF-8, with a NUL, or too long. */
function wordOf(body: Uint8Array): string | undefined {
  if (body.length > longestWord || body.includes(0)) return undefined;
  try {
    return quoteShellWord(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}
