import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { type ApiKeyRecord, addApiKey, findApiKey } from '../../src/server/api-keys.js';
import { revokeApiKey } from '../../src/server/change-api-keys.js';
import { openPostgres } from '../../src/server/postgres.js';
import { addressSubject, countRequest, keySubject } from '../../src/server/rate-limits.js';
import { type Database, type SqlRow, type Statement, sql } from '../../src/server/sql.js';
import { newPostgres, programs, startCluster } from '../support/postgres.js';
import { openPostgresNetwork } from '../support/postgres-network.js';
import { testKey } from '../support/test-store.js';

const limits = { perMinute: 3, perDay: 20 };
const now = 1_000_000_000_000;

/** Operations of requests; PostgreSQL rejects NUL in a subject and a pet without a name. */
const operation = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('count key' as const), id: fc.constantFrom('a', 'b') }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('count address' as const), id: fc.constantFrom('::1', '1.2.3.4') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('count key' as const), id: fc.constant('a\0') }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('find key' as const), id: fc.constantFrom('a', 'b', 'c', '\0') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), id: fc.constantFrom('Rex', 'Tom', null) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function run(database: Database, { kind, id }: Operation, time: number): Promise<unknown> {
  switch (kind) {
    case 'count key':
      return countRequest(database, keySubject(id, limits), time);
    case 'count address':
      return countRequest(database, addressSubject(id), time);
    case 'find key':
      return id === '\0' ? database.read(sql`SELECT digest FROM keys WHERE digest = ${id}`) : findApiKey(database, id);
    case 'add':
      return database.write(addStatement(id));
  }
}

function addStatement(name: string | null): Statement {
  return sql`INSERT INTO pets (name, category_id) VALUES (${name}, 1) RETURNING name`;
}

describe.skipIf(programs === undefined)('batches on PostgreSQL', () => {
  test('have the results and the effects of their operations one after the other', async () => {
    const [batched, single] = await Promise.all([open(await newPostgres()), open(await newPostgres(), false)]);
    const turn = fc.record({
      operations: fc.array(operation, { maxLength: 40 }),
      pause: fc.integer({ min: 0, max: 90_000 }),
      revoked: fc.constantFrom('a', 'b', undefined),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 6 }), async (turns) => {
        for (const database of [batched, single]) await reset(database);
        let time = now;
        for (const { operations, pause, revoked } of turns) {
          time += pause;
          const together = await Promise.allSettled(operations.map((each) => run(batched, each, time)));
          const separate: PromiseSettledResult<unknown>[] = [];
          for (const each of operations) {
            const [result] = await Promise.allSettled([run(single, each, time)]);
            separate.push(result as PromiseSettledResult<unknown>);
          }
          expect(together.map(simplify)).toEqual(separate.map(simplify));
          for (const database of revoked === undefined ? [] : [batched, single]) {
            const key = await findApiKey(database, revoked as string);
            if (key) await revokeApiKey(database, key);
          }
        }
        expect(await readAll(batched)).toEqual(await readAll(single));
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  test('of four servers count exactly and without a deadlock, whatever the order of their requests', async () => {
    const cluster = await startCluster();
    const servers = await Promise.all(Array.from({ length: 4 }, () => open(cluster.address())));
    const subjects = Array.from({ length: 40 }, (_, index) =>
      keySubject(String(index), { perMinute: 25, perDay: 1000 }),
    );
    const allowed = new Map<string, number>();
    for (let round = 0; round < 10; round += 1) {
      const count = async (database: Database, subject: (typeof subjects)[number]) => {
        const { rejectedAs } = await countRequest(database, subject, now);
        if (rejectedAs === undefined) allowed.set(subject.id, (allowed.get(subject.id) ?? 0) + 1);
      };
      await Promise.all(servers.flatMap((database) => shuffle(subjects).map((subject) => count(database, subject))));
    }
    expect(new Set(allowed.values())).toEqual(new Set([25]));
    expect(allowed.size).toBe(40);
    const [row] = await (servers[0] as Database).read(
      sql`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect(row).toEqual({ deadlocks: 0n });
  });

  test('never return a key that was revoked before the request', async () => {
    const url = await newPostgres();
    const [server, other] = [await open(url), await open(url, false)];
    for (let round = 0; round < 50; round += 1) {
      const secret = `${testKey.slice(0, -2)}${10 + round}`;
      const key = await addApiKey(other, secret, plans.free, now);
      const before = Array.from({ length: 10 }, () => findApiKey(server, secret));
      const revocation = revokeApiKey(other, key);
      // Lookups in each turn of the event loop, so that some are in progress when the revocation is.
      const during: Promise<ApiKeyRecord | undefined>[] = [];
      let isRevoked = false;
      const ending = revocation.finally(() => {
        isRevoked = true;
      });
      while (!isRevoked) {
        during.push(findApiKey(server, secret));
        await new Promise(setImmediate);
      }
      await ending;
      expect(await findApiKey(server, secret)).toBeUndefined();
      await Promise.all([...before, ...during]);
    }
  });

  test('of adds store each pet once at most if the connection is lost during the commit', async () => {
    const cluster = await startCluster();
    const network = await openPostgresNetwork(cluster);
    const database = await open(network.url);
    const names = Array.from({ length: 20 }, (_, index) => `pet ${index}`);
    const slow = sql`INSERT INTO pets (name, category_id) SELECT 'slow', 1 FROM pg_sleep(0.5)`;
    const adding = Promise.allSettled([slow, ...names.map(addStatement)].map((statement) => database.write(statement)));
    await sleep(200);
    network.closeConnections();
    for (const result of await adding) {
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'away' } });
    }
    // PostgreSQL commits what it received, although the connection is gone.
    await expect.poll(() => readNames(database), { timeout: 5_000 }).toHaveLength(21);
    await sleep(500);
    expect(new Set(await readNames(database))).toEqual(new Set(['slow', ...names]));
    expect(await readNames(database)).toHaveLength(21);
  });

  test('with a locked row fail only the requests that need it', async () => {
    const url = await newPostgres();
    const [database, other] = [await open(url), await open(url, false)];
    await countRequest(other, keySubject('locked', limits), now);
    const locking = other.write(
      sql`UPDATE meters SET day_used = day_used WHERE subject = 'key locked'`,
      sql`SELECT 1 AS one, pg_sleep(2.9)`,
      sql`SELECT 1 AS one, pg_sleep(2.9)`,
      sql`SELECT 1 AS one, pg_sleep(2.9)`,
    );
    locking.catch(() => {});
    await sleep(200);
    const ids = ['a', 'locked', 'z', 'locked', 'a'];
    const results = await Promise.allSettled(ids.map((id) => countRequest(database, keySubject(id, limits), now)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(results[1]).toMatchObject({ reason: { reason: 'busy' } });
  });
});

async function open(url: string, isBatched = true): Promise<Database> {
  const { database } = await openPostgres(url, () => [], { isBatched });
  onTestFinished(() => database.close());
  return database;
}

async function reset(database: Database): Promise<void> {
  await database.write(sql`DELETE FROM pets`, sql`DELETE FROM keys`, sql`DELETE FROM meters`);
  for (const key of ['a', 'b']) await addApiKey(database, key, limits, now);
}

async function readAll(database: Database): Promise<readonly (readonly SqlRow[])[]> {
  return [
    await database.read(sql`SELECT name FROM pets ORDER BY name`),
    await database.read(sql`SELECT * FROM meters ORDER BY subject`),
    await database.read(sql`SELECT digest FROM keys ORDER BY digest`),
  ];
}

async function readNames(database: Database): Promise<readonly unknown[]> {
  return (await database.read(sql`SELECT name FROM pets`)).map(({ name }) => name);
}

function shuffle<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

/** Errors are compared by their reason. */
function simplify(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'fulfilled' ? result.value : (result.reason as { readonly reason: string }).reason;
}
