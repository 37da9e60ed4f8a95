import { getHeader, type HttpHeaders, type HttpRequest } from './http.js';

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
