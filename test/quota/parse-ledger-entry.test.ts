import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LedgerEntry, unknownEntry } from '../../src/quota/ledger.js';
import { parseEntry } from '../../src/quota/parse-ledger-entry.js';

const window = { limit: 60, remaining: 5, since: 1, until: 2, doubt: 0 };
const reservation = { id: '1 here 1', owner: '1 here', since: 1, until: 2, refusals: 0 };
const block = { since: 1, until: 2, doubt: 0, spread: 0.5 };
const entry = {
  quota: { limit: 60, remaining: 5, resetAt: 2 },
  seenAt: 1,
  windows: [window],
  reservations: [reservation],
  block,
  refusals: 1,
  silent: false,
};

test.each<LedgerEntry>([
  unknownEntry,
  entry,
  { ...entry, windows: [{ ...window, remaining: -3 }] },
  { ...entry, block: { ...block, until: 8_640_000_000_000_000 } },
])('an entry is read as it was written', (written) => {
  expect(parseEntry(JSON.stringify(written))).toEqual(written);
});

test.each<[string, unknown]>([
  ['a negative time', { ...entry, seenAt: -1 }],
  ['a time that no date can hold', { ...entry, block: { ...block, until: 8.7e15 } }],
  ['half a millisecond', { ...entry, windows: [{ ...window, until: 1.5 }] }],
  ['a text for a number', { ...entry, refusals: '1' }],
  ['no number', { ...entry, seenAt: null }],
  ['a negative spread', { ...entry, block: { ...block, spread: -1 } }],
  ['a spread without an end', { ...entry, block: { ...block, spread: 1e308 } }],
  ['a spread longer than its block', { ...entry, block: { ...block, spread: 60_002 } }],
  ['a doubt longer than any request', { ...entry, block: { ...block, doubt: 86_500_001 } }],
  ['a window without an end', { ...entry, windows: [{ ...window, doubt: 86_500_001 }] }],
  ['a block that is none', { ...entry, block: [] }],
  ['a quota that is none', { ...entry, quota: null }],
  ['a limit that is none', { ...entry, quota: { limit: 'x' } }],
  ['windows that are no list', { ...entry, windows: {} }],
  ['more windows than there can be', { ...entry, windows: Array(1_001).fill(window) }],
  ['more requests than there can be', { ...entry, reservations: Array(1_001).fill(reservation) }],
  [
    'an owner as long as a book',
    { ...entry, reservations: [{ ...reservation, owner: 'x'.repeat(301) }] },
  ],
  ['an entry in which something is missing', { ...entry, silent: undefined }],
  ['a list', [entry]],
  ['null', null],
  ['a number', 7],
])('%s is no entry', (_, value) => {
  expect(parseEntry(JSON.stringify(value))).toBeUndefined();
});

test.each(['', '{', 'undefined', '\u0000', `${'['.repeat(100_000)}`, '{"__proto__":{"seenAt":1}}'])(
  'what is no JSON of an entry is none: %#',
  (text) => {
    expect(parseEntry(text)).toBeUndefined();
  },
);

test('never throws, and gives back only what can be reckoned with', () => {
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
      const parsed = parseEntry(JSON.stringify(value));
      if (parsed) expect(Number.isSafeInteger(parsed.seenAt + parsed.refusals)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
