import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayMs } from '../../src/clock.js';
import { batchTransactions, type Transaction } from '../../src/server/batch-transactions.js';
import { insertPetOnce } from '../../src/server/idempotency.js';
import { addressSubject, countRequest, keySubject } from '../../src/server/rate-limits.js';
import { type Database, type SqlRow, sql } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { fakeClock } from '../support/clock.js';

const limits = { perMinute: 3, perDay: 20 };

/** Operations of requests, with an invalid statement for a failure. */
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('count key' as const), id: fc.constantFrom('a', 'b') }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('count address' as const), id: fc.constantFrom('::1', '1.2.3.4') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('add' as const), id: fc.string({ minLength: 1, maxLength: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add once' as const), id: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), id: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), id: fc.constant('') }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function run(database: Database, { kind, id }: Operation, now: number): Promise<unknown> {
  switch (kind) {
    case 'count key':
      return countRequest(database, keySubject(id, limits), now);
    case 'count address':
      return countRequest(database, addressSubject(id), now);
    case 'add':
      return database.write(sql`INSERT INTO pets (name, category_id) VALUES (${id}, 1) RETURNING id, name`);
    case 'add once': {
      const request = { owner: 'a', key: id, requestDigest: `${id} ${now % 2}` };
      return insertPetOnce(database, { name: id, categoryId: '1' }, request, now);
    }
    case 'revoke':
      return database.write(sql`DELETE FROM meters WHERE subject = ${`key ${id}`} RETURNING subject, minute_used`);
    case 'fail':
      return database.write(
        sql`INSERT INTO pets (name, category_id) VALUES ('lost', 1)`,
        sql`INSERT INTO pets (name, category_id) VALUES (NULL, 1)`,
      );
  }
}

test('a batch has the results and the effects of its operations one after the other', async () => {
  const pause = fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.constant(dayMs));
  const turns = fc.array(fc.tuple(fc.array(operation, { maxLength: 30 }), pause), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(turns, async (given) => {
      const [batched, single] = await Promise.all([openMemory(true), openMemory(false)]);
      let now = 1_000_000_000_000;
      for (const [operations, pauseMs] of given) {
        now += pauseMs;
        const together = await Promise.allSettled(operations.map((each) => run(batched, each, now)));
        const separate: PromiseSettledResult<unknown>[] = [];
        for (const each of operations) {
          const [result] = await Promise.allSettled([run(single, each, now)]);
          separate.push(result as PromiseSettledResult<unknown>);
        }
        expect(together.map(simplify)).toEqual(separate.map(simplify));
      }
      expect(await readAll(batched)).toEqual(await readAll(single));
      await Promise.all([batched.close(), single.close()]);
    }),
    { numRuns: 60 },
  );
});

test('transactions of one turn are committed together, in the order of the calls', async () => {
  const batches: (readonly Transaction[])[] = [];
  const commit = batchTransactions(async (batch) => {
    batches.push(batch);
    return batch.map((_, index): readonly SqlRow[] => [{ index }]);
  }, setImmediate);
  const statements = [sql`SELECT 1`];
  const results = await Promise.all([
    commit({ statements, isSynced: false }),
    commit({ statements, isSynced: true }),
    commit({ statements, isSynced: false }),
  ]);
  expect(results).toEqual([[{ index: 0 }], [{ index: 1 }], [{ index: 2 }]]);
  expect(batches.map((batch) => batch.map(({ isSynced }) => isSynced))).toEqual([[false, true, false]]);
});

async function openMemory(isBatched: boolean): Promise<Database> {
  const options = { isBatched, path: ':memory:', clock: fakeClock(), nodeVersion: process.versions.node };
  return (await openSqlite(options)).database;
}

async function readAll(database: Database) {
  return {
    pets: await database.read(sql`SELECT id, name FROM pets ORDER BY id`),
    entries: await database.read(sql`SELECT * FROM idempotency_entries ORDER BY key`),
    meters: await database.read(sql`SELECT * FROM meters ORDER BY subject`),
  };
}

/** Errors are compared by their kind. */
function simplify(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'fulfilled' ? result.value : (result.reason as Error).name;
}
