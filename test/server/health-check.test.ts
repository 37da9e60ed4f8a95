import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/server/open-database.js';
import type { Database } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { handlerOf, respondWith } from '../support/test-server.js';

test('a probe takes one transaction at most, once per second', async () => {
  const clock = fakeClock();
  const database = await openDatabase({ path: ':memory:', clock, nodeVersion: process.versions.node });
  onTestFinished(database.close);
  const turns: string[] = [];
  const counted: Database = {
    ...database,
    read: () => Promise.reject(new Error('a read of its own')),
    writeUnsynced: (...parameters) => {
      if (turns.length === 0) setImmediate(() => turns.push('next turn'));
      turns.push('statement');
      return database.writeUnsynced(...parameters);
    },
  };
  const onError = (error: unknown) => expect.fail(String(error));
  const handle = handlerOf(respondWith({ database: counted, clock, onError }));
  const probe = () => handle({ method: 'GET', target: '/readyz', headers: {} }, '127.0.0.1');
  const responses = await Promise.all([probe(), probe(), probe()]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(turns).toEqual(['statement', 'statement', 'statement', 'next turn']);
  await probe();
  expect(turns).toHaveLength(4);
  clock.advance(1_000);
  await probe();
  expect(turns).toHaveLength(7);
});
