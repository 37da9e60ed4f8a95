import type { AppContext } from '../../app/context.js';
import type { Client, RawRequest } from '../../client/client.js';
import { usageError } from '../../failure.js';
import { formatJson, toExactNumber } from '../../format/json.js';

export interface ApiOptions {
  readonly method?: string;
  readonly rawFields: readonly string[];
  readonly fields: readonly string[];
  readonly headers: readonly string[];
  readonly input?: string;
  readonly include?: true;
  readonly paginate?: true;
}

const longestBody = 16 * 1024 * 1024;

/** The request that path and flags describe, to gh's conventions; fails (usage) before anything is sent. */
export async function buildRequest(
  context: AppContext,
  client: Client,
  path: string,
  options: ApiOptions,
): Promise<RawRequest> {
  const fields = [
    ...options.rawFields.map((field) => fieldOf(field, '-f')),
    ...(await typedFields(context, options.fields)),
  ];
  if (options.input !== undefined && fields.length > 0) {
    throw usageError('invalid_flag', '--input takes the place of -f and -F');
  }
  const hasBody = options.input !== undefined || fields.length > 0;
  const method = (options.method ?? (hasBody ? 'POST' : 'GET')).toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw usageError('invalid_flag', '-X must be an HTTP method that carries a message');
  }
  const inQuery = method === 'GET' || method === 'HEAD';
  const target = targetOf(client, path, inQuery ? fields : []);
  const headers = headersOf(options.headers);
  const body = await bodyOf(context, options.input, inQuery ? [] : fields);
  return {
    method,
    target,
    headers: body ? { 'content-type': 'application/json', ...headers } : headers,
    ...(body && { body }),
  };
}

type Field = readonly [key: string, value: unknown];

/** The path joined to the base URL; whatever would lead out of it is refused. */
function targetOf({ origin, basePath }: Client, path: string, query: readonly Field[]): string {
  const absolute = /^([a-z][a-z0-9+.-]*:)?\/\//i.test(path);
  const base = absolute ? origin : `${origin}${basePath}/`;
  // A first segment with a colon would else be read as a scheme.
  const relative = absolute ? path : `./${path.replace(/^\/+/, '')}`;
  if (!URL.canParse(relative, base)) throw usageError('invalid_path', 'the path is no address');
  const url = new URL(relative, base);
  if (url.origin !== origin) {
    throw usageError('other_origin', `the path leads to another origin; the key is for ${origin}`);
  }
  if (!absolute && !url.pathname.startsWith(`${basePath}/`)) {
    throw usageError('invalid_path', 'the path leads out of the base URL');
  }
  for (const [key, value] of query) url.searchParams.append(key, String(value));
  return url.pathname + url.search;
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line) ?? [];
    const lower = name.toLowerCase();
    if (lower === '' || /[^\t\x20-\x7e]/.test(value)) {
      throw usageError('invalid_flag', '-H must be "name: value" in one line of ASCII');
    }
    if (reserved.includes(lower)) {
      throw usageError('invalid_flag', `the header ${lower} is petstore's own`);
    }
    headers[lower] = value;
  }
  return headers;
}

/** What decides who speaks to whom, and how long a message is. */
const reserved = [
  'authorization',
  'proxy-authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
];

async function bodyOf(
  context: AppContext,
  input: string | undefined,
  fields: readonly Field[],
): Promise<Uint8Array | undefined> {
  if (input !== undefined) return context.terminal.readInput(input, longestBody);
  if (fields.length === 0) return undefined;
  return new TextEncoder().encode(formatJson(nest(fields)));
}

async function typedFields(
  { terminal: { readInput } }: AppContext,
  texts: readonly string[],
): Promise<readonly Field[]> {
  const fields = texts.map((text) => fieldOf(text, '-F'));
  if (fields.filter(([, value]) => value === '@-').length > 1) {
    throw usageError('invalid_flag', 'standard input can be read once: -F key=@- once');
  }
  return Promise.all(
    fields.map(async ([key, value]): Promise<Field> => {
      if (!value.startsWith('@')) return [key, typed(value)];
      const bytes = await readInput(value.slice(1), longestBody);
      try {
        return [key, new TextDecoder('utf-8', { fatal: true }).decode(bytes)];
      } catch {
        throw usageError('invalid_input', `${value.slice(1)} is not UTF-8`);
      }
    }),
  );
}

function typed(value: string): unknown {
  const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
  if (Object.hasOwn(words, value)) return words[value];
  return /^-?(0|[1-9][0-9]*)$/.test(value) ? toExactNumber(value) : value;
}

function fieldOf(text: string, flag: string): readonly [key: string, value: string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw usageError('invalid_flag', `${flag} must be key=value`);
  }
  return [key, value];
}

/** `a[b]=1` makes `{"a":{"b":1}}` and `a[]=1` a list, as gh has it; a member given twice is refused. */
function nest(fields: readonly Field[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
    if (first === '') throw usageError('invalid_flag', `"${name}" is no key: write a, a[b] or a[]`);
    const steps = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step)];
    put(root, steps, value, name);
  }
  return root;
}

function put(
  into: Record<string, unknown> | unknown[],
  [step = '', next, ...others]: readonly string[],
  value: unknown,
  name: string,
): void {
  const wrong = () => usageError('invalid_flag', `"${name}" contradicts another field`);
  if (Array.isArray(into) !== (step === '')) throw wrong();
  if (next === undefined) {
    if (Array.isArray(into)) into.push(value);
    else if (Object.hasOwn(into, step)) throw wrong();
    else define(into, step, value);
    return;
  }
  const present = Array.isArray(into) || !Object.hasOwn(into, step) ? undefined : into[step];
  const below = present ?? (next === '' ? [] : {});
  if (typeof below !== 'object' || below === null) throw wrong();
  if (Array.isArray(into)) into.push(below);
  else define(into, step, below);
  put(below as Record<string, unknown>, [next, ...others], value, name);
}

/** As an own member, whatever its name. */
function define(into: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}
