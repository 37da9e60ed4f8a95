import { expect, test } from 'vitest';
import { operations } from '../../src/api/operations.js';

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
