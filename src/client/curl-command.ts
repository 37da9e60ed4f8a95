import type { HttpRequest } from '../api/http.js';
import { apiKeyVariable } from '../config/environment.js';
import { quotePowerShellText, quotePowerShellWord } from '../format/powershell.js';
import { unicodeEscape } from '../format/safe-text.js';
import { formatPrintfCommand, quoteShellWord } from '../format/shell.js';

interface CurlOptions {
  readonly timeoutMs: number;
  readonly bypassesProxy: boolean;
  /** That of Node.js; `win32` selects PowerShell, any other a POSIX shell. */
  readonly platform: string;
}

/**
 * Returns a shell command that sends the same request with curl. `-g` keeps the URL unchanged and `-q` ignores
 * `.curlrc`. The API key is read from its variable, so the command can be shared.
 */
export function formatCurlCommand(request: HttpRequest, options: CurlOptions): string {
  return options.platform === 'win32' ? formatForPowerShell(request, options) : formatForPosix(request, options);
}

function formatForPosix(request: HttpRequest, options: CurlOptions): string {
  const { body } = request;
  const quotedBody = body && quoteBody(body);
  const data = body && (quotedBody === undefined ? '--data-binary @-' : `--data-raw ${quotedBody}`);
  const lines = formatLines(request, options, { curl: 'curl', variable: '$', quote: quoteShellWord, data });
  const input = body && quotedBody === undefined ? `${formatPrintfCommand(body)} | ` : '';
  return `${input}${lines.join(' \\\n  ')}\n`;
}

/**
 * In Windows PowerShell, `curl` is another command, and arguments lose their double quotes. Therefore a body is piped:
 * JSON as ASCII, which every version pipes unchanged, and any other body from a file.
 */
function formatForPowerShell(request: HttpRequest, options: CurlOptions): string {
  const { body } = request;
  const json = body && toAsciiJson(body);
  const file = body && json === undefined;
  const data = body && `--data-binary ${file ? '"@$body"' : "'@-'"}`;
  const quote = quotePowerShellWord;
  const lines = formatLines(request, options, { curl: 'curl.exe', variable: '$env:', quote, data });
  const command = `${lines.join(' `\n  ')}\n`;
  if (!body) return command;
  if (json !== undefined) return `${quotePowerShellText(json)} | ${command}`;
  const base64 = Buffer.from(body).toString('base64');
  return `$body = New-TemporaryFile\n[IO.File]::WriteAllBytes($body, [Convert]::FromBase64String('${base64}'))\n${command}`;
}

interface ShellSyntax {
  readonly curl: string;
  /** Precedes the name of an environment variable. */
  readonly variable: string;
  readonly quote: (text: string) => string;
  /** The flag with the body. */
  readonly data: string | undefined;
}

function formatLines(
  { method, origin, target, headers, body }: HttpRequest,
  { timeoutMs, bypassesProxy }: CurlOptions,
  { curl, variable, quote, data }: ShellSyntax,
): readonly string[] {
  return [
    `${curl} -q -g -sS --connect-timeout 5 --max-time ${timeoutMs / 1000}`,
    ...(bypassesProxy ? ["--noproxy '*'"] : []),
    ...methodFlags({ method, body }),
    `-H "Authorization: Bearer ${variable}${apiKeyVariable}"`,
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      .map(([name, value]) => `-H ${quote(formatHeader(name, String(value)))}`),
    // Stops curl from sending Expect: 100-continue before a large body.
    ...(body && body.length >= 1_024 ? ["-H 'Expect:'"] : []),
    ...(data === undefined ? [] : [data]),
    quote(origin + target),
  ];
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

/** Returns a JSON body with all characters outside ASCII escaped, or nothing if the body is not JSON on one line. */
function toAsciiJson(body: Uint8Array): string | undefined {
  const text = decodeUtf8(body) ?? '';
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const ascii = text.replaceAll(/[\x7f-\uffff]/g, (unit) => unicodeEscape(unit.charCodeAt(0)));
  return /^[\x20-\x7e]*$/.test(ascii) ? ascii : undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
