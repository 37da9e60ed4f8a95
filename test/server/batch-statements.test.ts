import { describe, expect, test } from 'vitest';
import { batchStatements } from '../../src/server/batch-statements.js';
import { DatabaseError, type SqlRow, type Statement, sql } from '../../src/server/sql.js';

const rolledBack = new DatabaseError('unusable', 'the statement failed');
const lost = new DatabaseError('away', 'the connection broke');

/** Creates a batcher over a fake database, which returns the values of a statement as its row. */
function fakeBatcher({ isShared = false, failures = {} as Readonly<Record<string, DatabaseError>> } = {}) {
  const batches: { readonly values: readonly unknown[]; readonly commit: () => void }[] = [];
  const batch = batchStatements<string>({
    isShared,
    isRolledBack: (error) => error === rolledBack,
    run: (statements) =>
      new Promise((resolve, reject) => {
        const values = statements.map((statement) => statement.values[0]);
        const failure = values.map((value) => failures[String(value)]).find((error) => error !== undefined);
        const commit = () => (failure ? reject(failure) : resolve(statements.map(toRows)));
        batches.push({ values, commit });
      }),
  });
  return {
    request: (key: string, value = key) => batch(key, sql`SELECT ${value} AS value`),
    /** Resolves to the values of each batch that is sent, and commits it. */
    commit: async () => {
      await nextTurn();
      const sent = batches.splice(0);
      for (const { commit } of sent) commit();
      return sent.map(({ values }) => values);
    },
    /** Resolves to the values of each batch that is sent but not committed. */
    sent: async () => {
      await nextTurn();
      return batches.map(({ values }) => values);
    },
  };
}

function toRows({ values: [value = null] }: Statement): readonly SqlRow[] {
  return [{ value }];
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

test('statements of one turn run in one batch, by ascending key, and in the order of the calls for each key', async () => {
  const { request, commit } = fakeBatcher();
  const results = [request('b', 'b1'), request('a', 'a1'), request('b', 'b2'), request('a', 'a2')];
  expect(await commit()).toEqual([['a1', 'a2', 'b1', 'b2']]);
  expect(await Promise.all(results)).toEqual([['b1'], ['a1'], ['b2'], ['a2']].map(([value]) => [{ value }]));
});

test('a shared statement is sent once per batch, and never shared with a request that arrives after it was sent', async () => {
  const { request, commit, sent } = fakeBatcher({ isShared: true });
  const before = [request('a'), request('a'), request('b')];
  expect(await sent()).toEqual([['a', 'b']]);
  const after = request('a');
  expect(await commit()).toEqual([['a', 'b'], ['a']]);
  const [first, second] = await Promise.all(before);
  expect(first).toBe(second);
  expect(await after).not.toBe(first);
});

test('statements wait while two batches run, and form the next batch', async () => {
  const { request, commit, sent } = fakeBatcher();
  for (const key of ['a', 'b', 'c', 'd']) {
    void request(key);
    await sent();
  }
  expect(await commit()).toEqual([['a'], ['b']]);
  expect(await commit()).toEqual([['c', 'd']]);
});

describe('after a failure', () => {
  test('that rolled back the batch, each key runs alone, and only the failed one is rejected', async () => {
    const { request, commit } = fakeBatcher({ failures: { bad: rolledBack } });
    const results = Promise.allSettled([request('a', 'a1'), request('b', 'bad'), request('c'), request('a', 'a2')]);
    expect(await commit()).toEqual([['a1', 'a2', 'bad', 'c']]);
    expect(await commit()).toEqual([['a1', 'a2'], ['bad'], ['c']]);
    expect((await results).map((result) => (result.status === 'fulfilled' ? result.value : result.reason))).toEqual([
      [{ value: 'a1' }],
      rolledBack,
      [{ value: 'c' }],
      [{ value: 'a2' }],
    ]);
    expect(await commit()).toEqual([]);
  });

  test('of a batch with one key, nothing runs again', async () => {
    const { request, commit } = fakeBatcher({ failures: { bad: rolledBack } });
    const result = expect(request('a', 'bad')).rejects.toBe(rolledBack);
    expect(await commit()).toEqual([['bad']]);
    await result;
    expect(await commit()).toEqual([]);
  });

  test('that may have committed the batch, every statement is rejected and none runs again', async () => {
    const { request, commit } = fakeBatcher({ failures: { bad: lost } });
    const results = Promise.allSettled([request('a'), request('b', 'bad'), request('c')]);
    expect(await commit()).toEqual([['a', 'bad', 'c']]);
    expect((await results).map((result) => result.status === 'rejected' && result.reason)).toEqual([lost, lost, lost]);
    expect(await commit()).toEqual([]);
  });

  test('later statements are sent while the failed batch runs again', async () => {
    const { request, commit, sent } = fakeBatcher({ failures: { bad: rolledBack } });
    const failed = expect(request('a', 'bad')).rejects.toBe(rolledBack);
    void request('b');
    await commit();
    await sent();
    void request('c');
    void request('d');
    expect(await sent()).toEqual([['bad'], ['b'], ['c', 'd']]);
    await commit();
    await failed;
  });
});
