import { type HttpRequest, type HttpResponse, hasIdempotencyKey, parseKeyLifetime } from '../api/http.js';
import type { Clock } from '../clock.js';
import type { IdempotencySupport, QuotaState, QuotaStore } from './quota-state.js';

/**
 * How long the proof is valid in the quota state. In milliseconds. A service that stops honoring keys within this time may
 * make a change twice. Without the proof, each `pets add` would first need a request that proves it again.
 */
const maxProofAgeMs = 3_600_000;

/** What a response proves: undefined if nothing, `none` if the service ignores idempotency keys. */
export type ObservedSupport = IdempotencySupport | 'none' | undefined;

/** A key is not used in the last minute of its lifetime, since clocks differ. In milliseconds. */
const lifetimeMarginMs = 60_000;

/** Returns whether a service still has a key that was sent first `ageMs` ago. */
export function isKeyStored({ lifetimeMs }: Pick<IdempotencySupport, 'lifetimeMs'>, ageMs: number): boolean {
  return ageMs >= 0 && getKeyTimeLeftMs({ lifetimeMs }, ageMs) > 0;
}

/** Returns how long a key that was sent first `ageMs` ago may still be used. */
export function getKeyTimeLeftMs({ lifetimeMs }: Pick<IdempotencySupport, 'lifetimeMs'>, ageMs: number): number {
  return lifetimeMs - lifetimeMarginMs - ageMs;
}

export interface IdempotencyTracker {
  observe(request: HttpRequest, response: Omit<HttpResponse, 'body'>): ObservedSupport;
  /** Returns the proof from this process, else from the quota state; undefined without either. */
  findSupport(): Promise<IdempotencySupport | undefined>;
}

/** Tracks the latest proof for the base URL with this path. */
export function trackIdempotencySupport(store: QuotaStore, basePath: string, clock: Clock): IdempotencyTracker {
  let latest: ObservedSupport;
  return {
    observe: (request, { status, headers }) => {
      const lifetimeMs = parseKeyLifetime(headers);
      const isSuccess = status >= 200 && status < 300;
      if (lifetimeMs !== undefined) latest = { basePath, seenAt: clock.now(), lifetimeMs };
      else if (isSuccess && hasIdempotencyKey(request)) latest = 'none';
      else return undefined;
      return latest;
    },
    findSupport: async () => {
      if (latest !== undefined) return latest === 'none' ? undefined : latest;
      const { idempotency: stored } = await store.find();
      const ageMs = clock.now() - (stored?.seenAt ?? 0);
      return stored?.basePath === basePath && ageMs >= 0 && ageMs <= maxProofAgeMs ? stored : undefined;
    },
  };
}

/** Returns the state with the support that a response proves. */
export function applyObservedSupport(state: QuotaState, observed: ObservedSupport): QuotaState {
  return observed === undefined ? state : { ...state, idempotency: observed === 'none' ? undefined : observed };
}
