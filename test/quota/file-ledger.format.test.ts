import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatLedgerEntry, parseLedgerEntry } from '../../src/quota/file-ledger.js';
import { emptyLedgerEntry, type LedgerEntry } from '../../src/quota/ledger.js';

const window = { limit: 60, remaining: 5, since: 1, until: 2, doubt: 0 };
const reservation = { id: '1 here 1', owner: '1 here', since: 1, until: 2, refusals: 0 };
const block = { since: 1, until: 2, doubt: 0, spread: 0.5 };
/** An entry as released versions store it. */
const stored = {
  quota: { limit: 60, remaining: 5, resetAt: 2 },
  seenAt: 1,
  windows: [window],
  reservations: [reservation],
  block,
  refusals: 1,
  silent: false,
};
const span = { startedAt: 1, endsAt: 2 };
const entry: LedgerEntry = {
  quota: { limit: 60, remaining: 5, resetAt: 2 },
  seenAt: 1,
  windows: [{ ...span, limit: 60, remaining: 5, clockUncertaintyMs: 0 }],
  reservations: [{ ...span, id: '1 here 1', owner: '1 here', rateLimitedStreak: 0 }],
  block: { ...span, clockUncertaintyMs: 0, maxJitterMs: 0.5 },
  rateLimitedStreak: 1,
  noQuotaHeaders: false,
};

test('reads and writes the format of released versions', () => {
  expect(parseLedgerEntry(JSON.stringify(stored))).toEqual(entry);
  expect(JSON.parse(formatLedgerEntry(entry))).toEqual(stored);
});

test.each<[string, LedgerEntry]>([
  ['an empty entry', emptyLedgerEntry],
  ['a negative count', { ...entry, windows: [{ ...entry.windows[0], remaining: -3 } as never] }],
  ['the latest time', { ...entry, block: { ...entry.block, endsAt: 8.64e15 } as never }],
])('reads back %s', (_, written) => {
  expect(parseLedgerEntry(formatLedgerEntry(written))).toEqual(written);
});

test.each<[string, unknown]>([
  ['a negative time', { ...stored, seenAt: -1 }],
  ['a time beyond Date', { ...stored, block: { ...block, until: 8.7e15 } }],
  ['a fraction of a millisecond', { ...stored, windows: [{ ...window, until: 1.5 }] }],
  ['a string for a number', { ...stored, refusals: '1' }],
  ['null for a number', { ...stored, seenAt: null }],
  ['a negative jitter', { ...stored, block: { ...block, spread: -1 } }],
  ['an endless jitter', { ...stored, block: { ...block, spread: 1e308 } }],
  ['a jitter longer than its block', { ...stored, block: { ...block, spread: 60_002 } }],
  ['a block uncertain by over a day', { ...stored, block: { ...block, doubt: 86_500_001 } }],
  ['a window uncertain by over a day', { ...stored, windows: [{ ...window, doubt: 86_500_001 }] }],
  ['a list for the block', { ...stored, block: [] }],
  ['null for the quota', { ...stored, quota: null }],
  ['an invalid limit', { ...stored, quota: { limit: 'x' } }],
  ['an object for the windows', { ...stored, windows: {} }],
  ['too many windows', { ...stored, windows: Array(1_001).fill(window) }],
  ['too many reservations', { ...stored, reservations: Array(1_001).fill(reservation) }],
  ['a long owner', { ...stored, reservations: [{ ...reservation, owner: 'x'.repeat(301) }] }],
  ['a missing member', { ...stored, silent: undefined }],
  ['a list', [stored]],
  ['null', null],
  ['a number', 7],
])('rejects %s', (_, value) => {
  expect(parseLedgerEntry(JSON.stringify(value))).toBeUndefined();
});

test.each(['', '{', '\u0000', '['.repeat(100_000), '{"__proto__":{"seenAt":1}}'])(
  'rejects malformed JSON without an error (%#)',
  (text) => expect(parseLedgerEntry(text)).toBeUndefined(),
);

test('returns only entries with integers, for any JSON', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record({
      quota: fc.constant({}),
      seenAt: fc.oneof(fc.double(), fc.nat()),
      windows: fc.array(fc.oneof(fc.constant(window), fc.jsonValue()), { maxLength: 2 }),
      reservations: fc.constant([]),
      block: fc.oneof(fc.jsonValue(), fc.constant(block)),
      refusals: fc.oneof(fc.nat(), fc.double()),
      silent: fc.oneof(fc.boolean(), fc.jsonValue()),
    }),
  );
  fc.assert(
    fc.property(value, (value) => {
      const parsed = parseLedgerEntry(JSON.stringify(value));
      if (!parsed) return;
      expect(Number.isSafeInteger(parsed.seenAt + parsed.rateLimitedStreak)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
