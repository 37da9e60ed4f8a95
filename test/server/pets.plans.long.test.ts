import { describe, expect, test } from 'vitest';
import { selectPageStatement } from '../../src/server/pets.js';
import { type Database, parameterPattern, type Statement } from '../../src/server/sql.js';
import { programs } from '../support/postgres.js';
import { newDatabaseAddress, openDatabaseAt, sql, usePostgres } from '../support/test-database.js';

/** Statements of the server with the index to use; there are many pets on both sides of the cursor. */
const statements: readonly (readonly [string, Statement, string, string])[] = [
  ['the first page', selectPageStatement(undefined, 0n, 21), 'id', 'pets_pkey'],
  ['a page', selectPageStatement(undefined, 15_000n, 21), 'id', 'pets_pkey'],
  ...['available', 'pending', 'sold'].flatMap((status) => [
    [`the first page of ${status}`, selectPageStatement(status, 0n, 21), 'status', 'pets_by_status'] as const,
    [`a page of ${status}`, selectPageStatement(status, 15_000n, 21), 'status', 'pets_by_status'] as const,
  ]),
  ['one pet', sql`SELECT name FROM pets WHERE id = ${5n}`, 'id', 'pets_pkey'],
  ['a key', sql`SELECT prefix FROM keys WHERE digest = ${'0'}`, 'digest', 'keys_pkey'],
  ['a count', sql`SELECT day_end FROM meters WHERE subject = ${'0'}`, 'subject', 'meters_pkey'],
];

describe('on SQLite', () => {
  test('no statement scans or sorts', async () => {
    const database = await filled();
    for (const [name, statement] of statements) {
      const steps = await database.read(explained('EXPLAIN QUERY PLAN', statement));
      const plan = steps.map(({ detail }) => String(detail));
      expect([name, plan]).toEqual([name, [expect.stringMatching(/^SEARCH \w+ USING .*[=>]\?/)]]);
    }
  });
});

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  test.each(['without statistics', 'with statistics'])('no statement scans or sorts %s', async (planner) => {
    usePostgres();
    const database = await filled();
    if (planner === 'with statistics') await database.read(sql`ANALYZE pets`);
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      for (const [name, statement, column, index] of statements) {
        const prepared = `plan_${crypto.randomUUID().replaceAll('-', '')}`;
        const [row] = await database.write(
          { text: `SET LOCAL plan_cache_mode = ${mode}` },
          { text: `PREPARE ${prepared} AS ${numbered(statement)}` },
          { text: `EXPLAIN (FORMAT JSON) EXECUTE ${prepared}${literals(statement)}` },
        );
        const plan = String(row?.['QUERY PLAN']);
        expect([name, plan]).toEqual([name, expect.stringContaining(`"Index Name": "${index}"`)]);
        expect([name, plan]).toEqual([name, expect.stringMatching(`"Index Cond": .*${column}`)]);
        expect([name, plan]).toEqual([name, expect.not.stringMatching(/Filter|Sort|Seq Scan/)]);
      }
    }
  });
});

/** Opens a database with 20,000 pets; only the last ten are sold. */
async function filled(): Promise<Database> {
  const database = await openDatabaseAt(await newDatabaseAddress());
  await database.write(sql`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
    INSERT INTO pets (name, category_id, status)
    SELECT 'Rex', 1, CASE WHEN n > 19990 THEN 'sold' WHEN n % 4 = 0 THEN 'pending' ELSE 'available' END
    FROM numbers`);
  return database;
}

function explained(word: string, { text, values = {} }: Statement): Statement {
  return { text: `${word} ${text}`, values };
}

/** Returns the names of the parameters, in the order of their numbers. */
function parametersOf({ text }: Statement): readonly string[] {
  return [...new Set([...text.matchAll(parameterPattern)].map(([, name = '']) => name))];
}

function numbered(statement: Statement): string {
  const names = parametersOf(statement);
  return statement.text.replace(parameterPattern, (_, name: string) => `$${names.indexOf(name) + 1}`);
}

function literals(statement: Statement): string {
  const values = parametersOf(statement).map((name) => statement.values?.[name] ?? null);
  return `(${values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(', ')})`;
}
