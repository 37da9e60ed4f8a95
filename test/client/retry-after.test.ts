import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/client/retry-after.js';

const now = Date.UTC(2026, 10, 21, 12);

test.each([
  ['0', now],
  ['60', now + 60_000],
  [' 60 ', now + 60_000],
  ['86400', now + 86_400_000],
  ['Sat, 21 Nov 2026 12:00:42 GMT', now + 42_000],
])('%j is a time', (header, at) => {
  expect(parseRetryAfter(header, now)).toBe(at);
});

test.each([
  undefined,
  '',
  '-5',
  '+5',
  '1.5',
  '1e3',
  '0x10',
  'abc',
  'Infinity',
  '9'.repeat(400),
  '2026-11-21T12:00:42Z',
  'Sat, 21 Nov 2026 12:00:42',
  'Sat, 21 Xyz 2026 12:00:42 GMT',
  'Sat, 21 Nov 2026 99:00:42 GMT',
])('%j is no time', (header) => {
  expect(parseRetryAfter(header, now)).toBeUndefined();
});

test('never throws, and names only times that a date can hold', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(fc.string(), digits), (header) => {
      const at = parseRetryAfter(header, now);
      if (at !== undefined) expect(Number.isNaN(new Date(at).getTime())).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});
