import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.js';
import { findPlanByLimit, plans } from '../../src/api/plan.js';

test('lists the operations of the API spec with method, path and status', () => {
  const lines = operations.map(
    ({ id, method, path, successStatus, experimental }) =>
      `${id}: ${method} ${path} ${successStatus}${experimental ? ' experimental' : ''}`,
  );
  expect(lines).toEqual([
    'listPets: GET /pets 200',
    'createPet: POST /pets 201',
    'getPet: GET /pets/{petId} 200',
    'listOrders: GET /store/orders 200 experimental',
  ]);
});

test('marks only getPet as deprecated, to be removed on 5 December 2030', () => {
  const deprecated = operations.filter((operation) => operation.deprecated);
  expect(deprecated.map(({ id }) => id)).toEqual(['getPet']);
  expect(new Date(deprecated[0]?.deprecated?.removalAt ?? 0).toISOString()).toBe('2030-12-05T00:00:00.000Z');
});

test.each([
  ['free', 60, 1_000],
  ['pro', 300, 10_000],
  ['business', 1_000, 100_000],
] as const)('%s allows %i requests a minute and %i a day', (plan, perMinute, perDay) => {
  expect(plans[plan]).toEqual({ perMinute, perDay });
});

test.each([
  [1_000, 'minute', 'business'],
  [1_000, 'day', 'free'],
  [61, 'minute', undefined],
  [undefined, 'day', undefined],
] as const)('a limit of %s in a %s is the plan %s', (limit, window, plan) => {
  expect(findPlanByLimit(limit, window)).toBe(plan);
});
