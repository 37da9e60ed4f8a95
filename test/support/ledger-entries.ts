import { emptyLedgerEntry, type LedgerEntry, type RateLimitWindow, type Reservation } from '../../src/quota/ledger.js';
import type { RateLimitInfo } from '../../src/quota/rate-limit-info.js';

export const now = Date.UTC(2026, 10, 21, 12);
export const span = { startedAt: now, clockUncertaintyMs: 0 };
export const minuteWith = (remaining: number, overrides: Partial<RateLimitWindow> = {}) => ({
  ...{ ...span, limit: 60, remaining, endsAt: now + 42_000 },
  ...overrides,
});
export const dayWith = (remaining: number, overrides: Partial<RateLimitWindow> = {}) => ({
  ...{ ...span, limit: 1_000, remaining, endsAt: now + 40_000_000 },
  ...overrides,
});
export const minute = minuteWith(5);
export const day = dayWith(800);
export const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
export const known: LedgerEntry = { ...emptyLedgerEntry, windows: [minute] };

export const inFlight = (id: string, overrides: Partial<Reservation> = {}): Reservation => ({
  id,
  owner: '1 here',
  startedAt: now,
  endsAt: now + 31_000,
  rateLimitedStreak: 0,
  ...overrides,
});
export const two = [inFlight('a'), inFlight('b', { endsAt: now + 20_000 })];

export const info = (overrides: Partial<RateLimitInfo> = {}): RateLimitInfo => ({
  status: 200,
  isRateLimited: overrides.status === 429,
  quota: {},
  retryAt: undefined,
  clockUncertaintyMs: 0,
  receivedAt: now,
  ...overrides,
});
export const quota = (remaining: number, resetAt = minute.endsAt, limit = 60) => ({
  limit,
  remaining,
  resetAt,
});
