import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skewOf } from '../../src/quota/clock-skew.js';

const now = Date.UTC(2026, 10, 21, 12);
const at = (time: number) => ({ date: new Date(time).toUTCString() });

test.each([
  ['the same clock', at(now), 0, 0],
  ['the same clock, between two seconds', at(now - 400), 0, 1_000],
  ['a clock that is an hour ahead', at(now + 3_600_000), 3_600_000, 0],
  ['a clock that is an hour behind', at(now - 3_600_000), -3_600_000, 0],
  ['no date', {}, 0, 0],
  ['nonsense', { date: 'yesterday' }, 0, 0],
  ['two dates', { date: [at(now).date, at(now).date] }, 0, 0],
])('%s tells the skew, and how sure it is', (_, headers, skew, doubt) => {
  expect(skewOf(headers, now, now)).toEqual({ skew, doubt });
});

test('a time of the service is never put earlier on our clock than it is', () => {
  const offset = fc.oneof(
    fc.integer({ min: -2_500, max: 2_500 }),
    fc.integer({ min: -1e11, max: 1e11 }),
  );
  const latency = fc.integer({ min: 0, max: 30_000 });
  fc.assert(
    fc.property(offset, latency, latency, fc.nat(1_000), (offset, there, back, fraction) => {
      const sentAt = now + fraction;
      const { skew, doubt } = skewOf(at(sentAt + there + offset), sentAt, sentAt + there + back);
      // That time of the service is now by our clock.
      const put = now + offset - skew;
      expect(put + doubt).toBeGreaterThanOrEqual(now);
      expect(Math.abs(put - now)).toBeLessThanOrEqual(there + back + 1_000);
      expect(doubt).toBeLessThanOrEqual(there + back + 1_000);
    }),
    { numRuns: 1_000 },
  );
});

test('never throws, whatever the date', () => {
  fc.assert(
    fc.property(fc.string(), (date) => {
      const { skew, doubt } = skewOf({ date }, now, now + 5);
      expect(Number.isFinite(skew) && doubt >= 0).toBe(true);
    }),
  );
});
