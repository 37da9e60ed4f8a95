import { type HttpRequest, hasIdempotencyKey, parseKeyLifetime } from '../api/http.js';
import type { ResponseHead } from '../api/outcome.js';
import type { IdempotencySupport, QuotaState } from './quota-state.js';

/**
 * How long the proof is valid. In milliseconds. A service that stops honoring keys within this time may make a change
 * twice. Without the proof, each `pets add` would first need a request that proves it again.
 */
const maxProofAgeMs = 3_600_000;

/** A key is not used in the last minute of its lifetime, since clocks differ. In milliseconds. */
const lifetimeMarginMs = 60_000;

/** Returns whether a service still has a key that was sent first `ageMs` ago. */
export function isKeyStored(support: Pick<IdempotencySupport, 'lifetimeMs'>, ageMs: number): boolean {
  return ageMs >= 0 && getKeyTimeLeftMs(support, ageMs) > 0;
}

/** Returns how long a key that was sent first `ageMs` ago may still be used. */
export function getKeyTimeLeftMs({ lifetimeMs }: Pick<IdempotencySupport, 'lifetimeMs'>, ageMs: number): number {
  return lifetimeMs - lifetimeMarginMs - ageMs;
}

/** Returns the proof that the service honors keys below a base URL with this path; undefined without a valid one. */
export function findSupport({ idempotency }: QuotaState, basePath: string, now: number) {
  const ageMs = now - (idempotency?.seenAt ?? 0);
  return idempotency?.basePath === basePath && ageMs >= 0 && ageMs <= maxProofAgeMs ? idempotency : undefined;
}

/** Returns the state with what a response proves: that the service honors keys, or that it ignores them. */
export function observeSupport(
  state: QuotaState,
  request: HttpRequest,
  { status, headers }: ResponseHead,
  { basePath, now }: { readonly basePath: string; readonly now: number },
): QuotaState {
  const lifetimeMs = parseKeyLifetime(headers);
  if (lifetimeMs !== undefined) return { ...state, idempotency: { basePath, seenAt: now, lifetimeMs } };
  const isIgnored = status >= 200 && status < 300 && hasIdempotencyKey(request);
  return isIgnored ? { ...state, idempotency: undefined } : state;
}
