import { getHeader, type HttpHeaders, type HttpRequest, type HttpResponse } from '../api/http.js';
import type { Clock } from '../clock.js';
import type { KeySupport, Ledger } from './ledger.js';

/** The header with the key of a request that must not be carried out twice. */
export const idempotencyKeyHeader = 'idempotency-key';

export function hasIdempotencyKey({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers[idempotencyKeyHeader] !== undefined;
}

/** How long the proof is valid in the ledger. In milliseconds. */
const maxProofAgeMs = 3_600_000;

export interface KeySupportTracker {
  /** Returns what a response proves: undefined if nothing, `none` if the service ignores keys. */
  observe(request: HttpRequest, response: Omit<HttpResponse, 'body'>): KeySupport | 'none' | undefined;
  /** Returns the proof from this process, else from the ledger; undefined if there is none. */
  find(): Promise<KeySupport | undefined>;
}

/** Keeps the latest proof for the base URL with this path. */
export function trackKeySupport(ledger: Ledger, basePath: string, clock: Clock): KeySupportTracker {
  let latest: KeySupport | 'none' | undefined;
  return {
    observe: (request, { status, headers }) => {
      const lifetimeMs = parseKeyLifetime(headers);
      const isSuccess = status >= 200 && status < 300;
      if (lifetimeMs !== undefined) latest = { basePath, seenAt: clock.now(), lifetimeMs };
      else if (!(isSuccess && hasIdempotencyKey(request))) return undefined;
      else latest = 'none';
      return latest;
    },
    find: async () => {
      if (latest !== undefined) return latest === 'none' ? undefined : latest;
      const { keySupport } = await ledger.find();
      const ageMs = clock.now() - (keySupport?.seenAt ?? 0);
      return keySupport?.basePath === basePath && ageMs >= 0 && ageMs <= maxProofAgeMs ? keySupport : undefined;
    },
  };
}

/** Parses `Idempotency-Key-Lifetime`, which is in whole seconds. Returns milliseconds. */
function parseKeyLifetime(headers: HttpHeaders): number | undefined {
  const text = getHeader(headers, 'idempotency-key-lifetime')?.trim() ?? '';
  return /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) * 1_000 : undefined;
}
