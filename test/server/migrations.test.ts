import { expect, test } from 'vitest';
import { findApiKey } from '../../src/server/api-keys.js';
import { listApiKeys } from '../../src/server/list-api-keys.js';
import { sql } from '../../src/server/sql.js';
import { newDatabaseAddress, openDatabaseAt, removeRotation } from '../support/test-database.js';

test('a migration makes labels unique and reports each new one', async () => {
  const address = await newDatabaseAddress();
  const old = await openDatabaseAt(address);
  await removeRotation(old);
  const labels = ['ci', null, 'ci', 'ci-2', null, 'ci', 'ci-2', 'other', 'ci'];
  for (const [index, label] of labels.entries()) {
    await old.write(sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, plan, label)
      VALUES (${`d${index}`}, ${`p${index}`}, 60, 1000, CAST(${index} AS BIGINT), 'free', ${label})`);
  }
  await old.close();
  const notices: string[] = [];
  const database = await openDatabaseAt(address, { onMigration: (text) => notices.push(text) });
  const listed = await listApiKeys(database, 0);
  expect(listed.map(({ label }) => label ?? null)).toEqual([
    ...['ci', null, 'ci-3', 'ci-2', null, 'ci-4', 'ci-2-2', 'other', 'ci-5'],
  ]);
  expect(listed.every(({ digest, owner, expiresAt }) => owner === digest && expiresAt === undefined)).toBe(true);
  expect(notices.sort()).toEqual([
    'the label of API key p2… is now ci-3, because another API key has the label ci',
    'the label of API key p5… is now ci-4, because another API key has the label ci',
    'the label of API key p6… is now ci-2-2, because another API key has the label ci-2',
    'the label of API key p8… is now ci-5, because another API key has the label ci',
  ]);
  await database.close();
  await openDatabaseAt(address, { onMigration: (text) => notices.push(text) });
  expect(notices).toHaveLength(4);
});

test('the database rejects a label that is taken', async () => {
  const database = await openDatabaseAt(await newDatabaseAddress());
  const insert = (digest: string) =>
    database.write(sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, label)
      VALUES (${digest}, 'p', 60, 1000, 0, 'ci')`);
  await insert('first');
  await expect(insert('second')).rejects.toMatchObject({ reason: 'unusable' });
  expect(await findApiKey(database, 'second')).toBeUndefined();
});
