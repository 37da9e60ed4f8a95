import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuotaState } from '../../src/quota/file-quota-store.js';
import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';

const span = { startedAt: 1, endsAt: 2 };
const window = { ...span, limit: 60, remaining: 5, clockUncertaintyMs: 0 };
const reservation = { ...span, id: '1 here 1', owner: '1 here', rateLimitedStreak: 0 };
const block = { ...span, clockUncertaintyMs: 0, maxJitterMs: 0.5 };
const state: QuotaState = {
  quota: { limit: 60, remaining: 5, resetAt: 2 },
  seenAt: 1,
  windows: [window],
  reservations: [reservation],
  block,
  rateLimitedStreak: 1,
  noQuotaHeaders: false,
};

test.each<[string, QuotaState]>([
  ['an empty state', emptyQuotaState],
  ['a state', state],
  ['a negative count', { ...state, windows: [{ ...window, remaining: -3 }] }],
  ['the latest time', { ...state, block: { ...block, endsAt: 8.64e15 } }],
])('reads back %s', (_, written) => {
  expect(parseQuotaState(JSON.stringify(written))).toEqual(written);
});

test.each<[string, unknown]>([
  ['a negative time', { ...state, seenAt: -1 }],
  ['a time beyond Date', { ...state, block: { ...block, endsAt: 8.7e15 } }],
  ['a fraction of a millisecond', { ...state, windows: [{ ...window, endsAt: 1.5 }] }],
  ['a string for a number', { ...state, rateLimitedStreak: '1' }],
  ['null for a number', { ...state, seenAt: null }],
  ['a negative jitter', { ...state, block: { ...block, maxJitterMs: -1 } }],
  ['an endless jitter', { ...state, block: { ...block, maxJitterMs: 1e308 } }],
  ['a jitter longer than its block', { ...state, block: { ...block, maxJitterMs: 60_002 } }],
  ['a block uncertain by over a day', { ...state, block: { ...block, clockUncertaintyMs: 86_500_001 } }],
  ['a window uncertain by over a day', { ...state, windows: [{ ...window, clockUncertaintyMs: 86_500_001 }] }],
  ['a list for the block', { ...state, block: [] }],
  ['null for the quota', { ...state, quota: null }],
  ['an invalid limit', { ...state, quota: { limit: 'x' } }],
  ['an object for the windows', { ...state, windows: {} }],
  ['too many windows', { ...state, windows: Array(1_001).fill(window) }],
  ['too many reservations', { ...state, reservations: Array(1_001).fill(reservation) }],
  ['a long owner', { ...state, reservations: [{ ...reservation, owner: 'x'.repeat(301) }] }],
  ['a missing member', { ...state, noQuotaHeaders: undefined }],
  ['a list', [state]],
  ['null', null],
  ['a number', 7],
])('rejects %s', (_, value) => {
  expect(parseQuotaState(JSON.stringify(value))).toBeUndefined();
});

test.each(['', '{', '\u0000', '['.repeat(100_000), '{"__proto__":{"seenAt":1}}'])(
  'rejects malformed JSON without an error (%#)',
  (text) => expect(parseQuotaState(text)).toBeUndefined(),
);

test('returns only states with integers, for any JSON', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record({
      quota: fc.constant({}),
      seenAt: fc.oneof(fc.double(), fc.nat()),
      windows: fc.array(fc.oneof(fc.constant(window), fc.jsonValue()), { maxLength: 2 }),
      reservations: fc.constant([]),
      block: fc.oneof(fc.jsonValue(), fc.constant(block)),
      rateLimitedStreak: fc.oneof(fc.nat(), fc.double()),
      noQuotaHeaders: fc.oneof(fc.boolean(), fc.jsonValue()),
    }),
  );
  fc.assert(
    fc.property(value, (value) => {
      const parsed = parseQuotaState(JSON.stringify(value));
      if (!parsed) return;
      expect(Number.isSafeInteger(parsed.seenAt + parsed.rateLimitedStreak)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
