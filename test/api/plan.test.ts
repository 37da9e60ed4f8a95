import { expect, test } from 'vitest';
import { findPlanByLimit, planNames, plans } from '../../src/api/plan.js';

test.each([
  ['free', 60, 1_000],
  ['pro', 300, 10_000],
  ['business', 1_000, 100_000],
] as const)('%s allows %i requests a minute and %i a day', (plan, perMinute, perDay) => {
  expect(plans[plan]).toEqual({ perMinute, perDay });
});

test('lists the plans from the smallest to the largest', () => {
  expect(planNames).toEqual(['free', 'pro', 'business', 'enterprise']);
});

test.each([
  [1_000, 'minute', 'business'],
  [1_000, 'day', 'free'],
  [61, 'minute', undefined],
  [undefined, 'day', undefined],
] as const)('a limit of %s in a %s is the plan %s', (limit, window, plan) => {
  expect(findPlanByLimit(limit, window)).toBe(plan);
});
