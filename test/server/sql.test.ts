import { expect, test } from 'vitest';
import { sql } from '../../src/server/sql.js';

test('keeps values separate from the SQL text', () => {
  const name = `x'); DROP TABLE pets;--`;
  expect(sql`SELECT ${name}, ${1n}, ${null}`).toEqual({
    pieces: ['SELECT ', ', ', ', ', ''],
    values: [name, 1n, null],
  });
});

test('inlines a nested statement with its values in order', () => {
  const inner = sql`b = ${2} AND c = ${3}`;
  expect(sql`a = ${1} AND ${inner} AND d = ${4}`).toEqual({
    pieces: ['a = ', ' AND b = ', ' AND c = ', ' AND d = ', ''],
    values: [1, 2, 3, 4],
  });
});

test('inlines a statement without values', () => {
  expect(sql`a ${sql`b`} c ${sql``}d`).toEqual({ pieces: ['a b c d'], values: [] });
});

test('inlines statements at any depth', () => {
  const innermost = sql`x > ${1}`;
  const inner = sql`(${innermost} OR ${innermost})`;
  expect(sql`${inner}`).toEqual({ pieces: ['(x > ', ' OR x > ', ')'], values: [1, 1] });
});
