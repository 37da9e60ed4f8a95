import { expect, test } from 'vitest';
import { formatSql, prepareSql, type SqlParameter, sql } from '../../src/server/sql.js';

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

test('sends a parameter that appears twice only once', () => {
  const now: SqlParameter<'now'> = { parameter: 'now' };
  const name: SqlParameter<'name'> = { parameter: 'name' };
  const statement = prepareSql(sql`a > ${now} AND b = ${7} AND c = ${name} AND d > ${now}`)({ now: 5, name: 'x' });
  expect(statement.values).toEqual([5, 7, 'x']);
  expect(formatSql(statement, '$')).toBe('a > $1 AND b = $2 AND c = $3 AND d > $1');
});

test('numbers the parameters of both dialects', () => {
  expect(formatSql(sql`a = ${1} AND b = ${2}`, '?')).toBe('a = ?1 AND b = ?2');
  expect(formatSql(sql`SELECT 1`, '$')).toBe('SELECT 1');
});
