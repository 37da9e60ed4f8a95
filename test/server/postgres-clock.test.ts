import { describe, expect, test } from 'vitest';
import { clockFrom } from '../../src/clock.js';
import { createDatabaseClock } from '../../src/server/postgres-clock.js';
import { fakeClock } from '../support/clock.js';

const start = Date.UTC(2026, 10, 21, 12);

describe('the clock of a database', () => {
  test("follows the database's time", () => {
    const clock = fakeClock(start);
    const { adjust, toSharedClock } = createDatabaseClock(clock);
    adjust(start + 90_000);
    expect(toSharedClock().now()).toBe(start + 90_000);
    clock.advance(10_000);
    expect(toSharedClock().now()).toBe(start + 100_000);
    adjust(start + 50_000);
    expect(toSharedClock().now()).toBe(start + 50_000);
  });

  test('ignores the latency of responses', () => {
    const { adjust, toSharedClock } = createDatabaseClock(fakeClock(start));
    adjust(start + 90_000);
    adjust(start + 89_950);
    adjust(start + 90_050);
    expect(toSharedClock().now()).toBe(start + 90_000);
  });

  test('starts at a simulated time, and then follows the database', () => {
    const clock = fakeClock(start);
    const simulated = Date.UTC(2030, 11, 6);
    const { adjust, toSharedClock } = createDatabaseClock(clockFrom(simulated, clock));
    adjust(start + 90_000);
    expect(toSharedClock().now()).toBe(simulated);
    clock.advance(10_000);
    adjust(start + 100_000);
    expect(toSharedClock().now()).toBe(simulated + 10_000);
    expect(toSharedClock().expression.values).toContain(simulated - start - 90_000);
    // The clock of the machine is set forward.
    clock.advance(50_000);
    adjust(start + 100_000);
    expect(toSharedClock().now()).toBe(simulated + 10_000);
  });
});
