import { expect, test } from 'vitest';
import { createAllowance } from '../../src/quota/time-budget.js';
import { fakeClock } from '../support/clock.js';

function newAllowance() {
  const clock = fakeClock();
  const allowance = createAllowance(250, clock, () => new Error('late'));
  /** What is left for a call after it has taken so long. */
  const spend = (milliseconds: number, least?: number) =>
    allowance.spend(async (leftFor) => {
      leftFor(least);
      clock.advance(milliseconds);
      return leftFor();
    });
  return { clock, spend };
}

test('calls one after the other share what there is', async () => {
  const { spend } = newAllowance();
  expect(await spend(100)).toBe(150);
  expect(await spend(100)).toBe(50);
  await expect(spend(50)).rejects.toThrow('late');
  await expect(spend(0)).rejects.toThrow('late');
});

test('what was used up comes back while nothing waits, and no more than that', async () => {
  const { clock, spend } = newAllowance();
  await spend(200);
  clock.advance(120);
  expect(await spend(0)).toBe(170);
  clock.advance(86_400_000);
  expect(await spend(0)).toBe(250);
});

test('a call may ask for a time of its own, whatever others have used up', async () => {
  const { spend } = newAllowance();
  await spend(240);
  expect(await spend(100, 250)).toBe(150);
});

test('a clock that is set back gives and takes nothing', async () => {
  const { clock, spend } = newAllowance();
  expect(await spend(100)).toBe(150);
  clock.advance(-3_600_000);
  expect(await spend(0)).toBe(150);
});
