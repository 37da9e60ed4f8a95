import { matchPath } from '../../api/http.js';
import { operations } from '../../api/operations.js';
import type { AppContext } from '../../app/context.js';
import type { Client } from '../../client/client.js';
import type { RawRequest } from '../../client/request.js';
import { sandboxOrigin } from '../../config/profile.js';
import { usageError } from '../../failure.js';
import { formatJson, toExactNumber } from '../../format/json.js';

/** The flags, by the letters of `gh api`. */
export interface ApiFlags {
  readonly X?: string;
  readonly f: readonly string[];
  readonly F: readonly string[];
  readonly H: readonly string[];
  readonly input?: string;
  readonly i?: true;
  readonly paginate?: true;
  readonly curl?: true;
}

const maxBodyBytes = 1024 * 1024;

/** Returns the request that path and flags describe, as `gh api` does. Throws a usage error if they are invalid. */
export async function buildRequest(
  { terminal: { readInput } }: AppContext,
  service: Pick<Client, 'origin' | 'basePath'>,
  path: string,
  flags: ApiFlags,
): Promise<RawRequest> {
  const { f: texts, F: typed, H: headerLines, input } = flags;
  const fields = [...texts.map((text) => parseField(text, '-f')), ...(await readTypedFields(typed, readInput))];
  if (input !== undefined && fields.length > 0) {
    throw usageError('invalid_flag', '--input cannot be used with -f or -F');
  }
  const method = chooseMethod(flags);
  if (flags.paginate && method !== 'GET') {
    throw usageError('invalid_flag', '--paginate works only with GET', 'pass -X GET, or remove --paginate');
  }
  const isQuery = method === 'GET' || method === 'HEAD';
  const target = resolveTarget(service, path, isQuery ? fields : []);
  const request = { method, target, headers: parseHeaders(headerLines) };
  if (input === undefined && (isQuery || fields.length === 0)) return request;
  const body =
    input === undefined
      ? new TextEncoder().encode(formatJson(Object.fromEntries(fields)))
      : await readInput(input, maxBodyBytes);
  return { ...request, headers: { 'content-type': 'application/json', ...request.headers }, body };
}

/** Returns whether the API spec has an operation with this path. */
export function isOperationPath(target: string, basePath: string): boolean {
  const path = target.replace(/\?.*/s, '');
  return operations.some((operation) => matchPath(basePath + operation.path, path) !== undefined);
}

/** Returns the method of the flags, by default POST if there is a body. Throws a usage error if it is invalid. */
export function chooseMethod({ X, f, F, input }: ApiFlags): string {
  const hasBody = input !== undefined || f.length + F.length > 0;
  const method = (X ?? (hasBody ? 'POST' : 'GET')).toUpperCase();
  if (/^[A-Z]{1,20}$/.test(method) && method !== 'CONNECT' && method !== 'TRACE') return method;
  throw usageError('invalid_flag', '-X must be an HTTP method such as GET, POST or DELETE');
}

type Field = readonly [key: string, value: unknown];

export const pathHint = 'pass a path below the base URL, such as /pets';

/** Returns path and query below the base URL. Throws a usage error for a path on another origin or outside it. */
function resolveTarget(
  { origin, basePath }: Pick<Client, 'origin' | 'basePath'>,
  path: string,
  query: readonly Field[],
): string {
  const isAbsolute = /^([a-z][a-z0-9+.-]*:)?\/\//i.test(path);
  const base = isAbsolute ? origin : `${origin}${basePath}/`;
  // Without `./` a first segment with a colon would be parsed as a scheme.
  const relative = isAbsolute ? path : `./${path.replace(/^\/+/, '')}`;
  if (!URL.canParse(relative, base)) {
    throw usageError('invalid_argument', 'the path is not a valid URL path', pathHint);
  }
  const url = new URL(relative, base);
  if (url.origin !== origin) {
    const service = origin === sandboxOrigin ? 'the sandbox' : origin;
    throw usageError(
      'invalid_argument',
      `the path is on another origin; the API key is sent only to ${service}`,
      pathHint,
    );
  }
  if (!isAbsolute && !url.pathname.startsWith(`${basePath}/`)) {
    throw usageError('invalid_argument', 'the path is outside the base URL', pathHint);
  }
  for (const [key, value] of query) url.searchParams.append(key, String(value));
  return url.pathname + url.search;
}

function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line) ?? [];
    const lower = name.toLowerCase();
    if (lower === '' || /[^\t\x20-\x7e]/.test(value)) {
      throw usageError('invalid_flag', '-H must be "name: value" on one line of ASCII text');
    }
    if (reservedHeader.test(lower)) {
      throw usageError('invalid_flag', `petstore sets the header ${lower} itself`, `remove the -H flag with ${lower}`);
    }
    headers[lower] = value;
  }
  return headers;
}

/** Headers for credentials, connections and message lengths. */
const reservedHeader =
  /^((proxy-)?authorization|host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect)$/;

async function readTypedFields(
  texts: readonly string[],
  readInput: AppContext['terminal']['readInput'],
): Promise<readonly Field[]> {
  const fields = texts.map((text) => parseField(text, '-F'));
  if (fields.filter(([, value]) => value === '@-').length > 1) {
    throw usageError('invalid_flag', 'standard input can be read only once', 'use @- in only one -F');
  }
  return Promise.all(
    fields.map(async ([key, value]) => {
      if (!value.startsWith('@')) return [key, parseTypedValue(value)] as const;
      const bytes = await readInput(value.slice(1), maxBodyBytes);
      try {
        return [key, new TextDecoder('utf-8', { fatal: true }).decode(bytes)] as const;
      } catch {
        throw usageError(
          'invalid_input',
          `${value.slice(1)} is not valid UTF-8`,
          'convert the file to UTF-8, or send it with --input',
        );
      }
    }),
  );
}

function parseTypedValue(text: string): unknown {
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  return /^-?(0|[1-9][0-9]*)$/.test(text) ? toExactNumber(text) : text;
}

function parseField(text: string, flag: string): readonly [key: string, value: string] {
  const [, key, value] = /^([^=[\]]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw usageError('invalid_flag', `${flag} must be key=value`, 'pass nested values with --input');
  }
  return [key, value];
}
