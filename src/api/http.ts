/** Headers by lowercase name. A header that was sent more than once is a list. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One HTTP request as plain values, for client and server. */
export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Path and query, as in the request line: `/v1/pets?limit=20`. */
  readonly target: string;
  readonly headers: HttpHeaders;
  readonly body?: Uint8Array;
}

/** One HTTP response with its complete body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array;
}

/** Returns a header's value. Several values are joined with `, ` (RFC 9110 §5.3). */
export function getHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

/** Returns true for methods that change nothing (RFC 9110 §9.2.1), which may be retried. */
export function isSafeMethod(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/** Returns true for the names and addresses of the local machine, with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^(127(\.[0-9]{1,3}){3}|::1|\[::1\]|localhost)$/i.test(host);
}

const linkValue = /<([^<>]*)>((?:\s*;\s*[^\s"=;,<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,<>]*))?)*)/g;
const parameter = /;\s*([^\s"=;,<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>]*)))?/g;

/**
 * Returns the target of the first link with this relation in a `Link` header (RFC 8288 §3). The target may be absolute
 * or relative. Commas and semicolons inside `<>` and quotes separate nothing.
 */
export function findLink(header: string | undefined, relation: string): string | undefined {
  for (const [, target, parameters = ''] of (header ?? '').matchAll(linkValue)) {
    const rel = [...parameters.matchAll(parameter)].find(([, name]) => name?.toLowerCase() === 'rel');
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target?.trim();
  }
  return undefined;
}

export function formatLink(target: string, relation: string): string {
  return `<${target}>; rel="${relation}"`;
}

/** Matches the parameter of a path template such as `/pets/{petId}` (OpenAPI 3.1). A template has at most one. */
const pathParameter = /\{(\w+)\}/;

/** Replaces the parameter by the percent-encoded result of `getValue`. */
export function expandPath(template: string, getValue: (parameter: string) => string): string {
  return template.replace(pathParameter, (_, name: string) => encodeURIComponent(getValue(name)));
}

/**
 * Returns the raw value of the parameter in a path, or an empty string if the template has no parameter. Returns
 * undefined if the path does not match.
 */
export function matchPath(template: string, path: string): string | undefined {
  const [prefix = '', , suffix] = template.split(pathParameter);
  if (suffix === undefined) return path === prefix ? '' : undefined;
  const value = path.slice(prefix.length, path.length - suffix.length);
  const isSegment = /^[^/]+$/.test(value);
  return isSegment && path === `${prefix}${value}${suffix}` ? value : undefined;
}

/** Matches an API key, or most of one, in the format of petstore's own server. */
export const keyPattern = /pets_[0-9a-z]{20}/i;

/** The header with the key of a request that must not be carried out twice. */
export const idempotencyKeyHeader = 'idempotency-key';

/** How long the server stores an `Idempotency-Key`. Every response of an operation announces it. */
export const idempotencyKeyLifetimeMs = 24 * 3_600_000;

export function hasIdempotencyKey({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers[idempotencyKeyHeader] !== undefined;
}

/** Returns the lifetime of keys in milliseconds; undefined unless the header is a positive number of whole seconds. */
export function parseKeyLifetime(headers: HttpHeaders): number | undefined {
  const text = getHeader(headers, 'idempotency-key-lifetime')?.trim() ?? '';
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) * 1_000 : undefined;
}
