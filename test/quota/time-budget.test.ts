import { expect, test } from 'vitest';
import { createTimeBudget } from '../../src/quota/time-budget.js';
import { fakeClock } from '../support/clock.js';

function newBudget() {
  const clock = fakeClock();
  const budget = createTimeBudget(250, clock, () => new Error('late'));
  /** Returns what remains after a call that takes so long. */
  const spend = (ms: number, minMs?: number) =>
    budget.run(async (getRemainingMs) => {
      getRemainingMs(minMs);
      clock.advance(ms);
      return getRemainingMs();
    });
  return { clock, spend };
}

test('is shared by consecutive calls', async () => {
  const { spend } = newBudget();
  expect(await spend(100)).toBe(150);
  expect(await spend(100)).toBe(50);
  await expect(spend(50)).rejects.toThrow('late');
  await expect(spend(0)).rejects.toThrow('late');
});

test('refills between calls up to its maximum', async () => {
  const { clock, spend } = newBudget();
  await spend(200);
  clock.advance(120);
  expect(await spend(0)).toBe(170);
  clock.advance(86_400_000);
  expect(await spend(0)).toBe(250);
});

test('grants a minimum to a call that asks for it', async () => {
  const { spend } = newBudget();
  await spend(240);
  expect(await spend(100, 250)).toBe(150);
});

test('is unchanged by a clock that is set back', async () => {
  const { clock, spend } = newBudget();
  expect(await spend(100)).toBe(150);
  clock.advance(-3_600_000);
  expect(await spend(0)).toBe(150);
});
