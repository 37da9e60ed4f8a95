import type { Client, RawRequest } from '../../ports/client.js';
import type { Context } from '../../ports/context.js';
import { usage } from '../../ports/failure.js';
import { exactNumber, formatJson } from '../../text/json.js';

export interface ApiOptions {
  readonly method?: string;
  readonly rawField: readonly string[];
  readonly field: readonly string[];
  readonly header: readonly string[];
  readonly input?: string;
  readonly include?: true;
  readonly paginate?: true;
}

const longestBody = 16 * 1024 * 1024;

/** The request that path and flags describe, to gh's conventions; fails (usage) before anything is sent. */
export async function buildRequest(
  context: Context,
  client: Client,
  path: string,
  options: ApiOptions,
): Promise<RawRequest> {
  const fields = [
    ...options.rawField.map((field) => fieldOf(field, '--raw-field')),
    ...(await typedFields(context, options.field)),
  ];
  if (options.input !== undefined && fields.length > 0) {
    throw usage('invalid_flag', '--input takes the place of --field and --raw-field');
  }
  const hasBody = options.input !== undefined || fields.length > 0;
  const method = (options.method ?? (hasBody ? 'POST' : 'GET')).toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method)) throw usage('invalid_flag', '--method must be an HTTP method');
  const inQuery = method === 'GET' || method === 'HEAD';
  const target = targetOf(client, path, inQuery ? fields : []);
  const headers = headersOf(options.header);
  const body = inQuery ? undefined : await bodyOf(context, options.input, fields);
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
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('//');
  const base = absolute ? origin : `${origin}${basePath}/`;
  const relative = absolute ? path : path.replace(/^\/+/, '');
  if (!URL.canParse(relative, base)) throw usage('invalid_path', 'the path is no address');
  const url = new URL(relative, base);
  if (url.origin !== origin) {
    throw usage('other_origin', `the path leads to another origin; the key is for ${origin}`);
  }
  if (!absolute && !url.pathname.startsWith(`${basePath}/`)) {
    throw usage('invalid_path', 'the path leads out of the base URL');
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
      throw usage('invalid_flag', '--header must be "name: value" in one line of ASCII');
    }
    if (reserved.includes(lower)) {
      throw usage('invalid_flag', `the header ${lower} is petstore's own`);
    }
    headers[lower] = value;
  }
  return headers;
}

/** What decides who speaks to whom, and how long a message is. */
const reserved = ['authorization', 'host', 'content-length', 'transfer-encoding', 'connection'];

async function bodyOf(
  context: Context,
  input: string | undefined,
  fields: readonly Field[],
): Promise<Uint8Array | undefined> {
  if (input !== undefined) return context.readInput(input, longestBody);
  if (fields.length === 0) return undefined;
  return new TextEncoder().encode(formatJson(Object.fromEntries(fields)));
}

function typedFields({ readInput }: Context, texts: readonly string[]): Promise<readonly Field[]> {
  return Promise.all(
    texts.map(async (text): Promise<Field> => {
      const [key, value] = fieldOf(text, '--field');
      if (value.startsWith('@')) {
        return [key, new TextDecoder().decode(await readInput(value.slice(1), longestBody))];
      }
      return [key, typed(value)];
    }),
  );
}

function typed(value: string): unknown {
  const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
  if (Object.hasOwn(words, value)) return words[value];
  return /^-?(0|[1-9][0-9]*)$/.test(value) ? exactNumber(value) : value;
}

function fieldOf(text: string, flag: string): readonly [key: string, value: string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw usage('invalid_flag', `${flag} must be key=value`);
  }
  return [key, value];
}
