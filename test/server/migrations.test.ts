import { expect, test } from 'vitest';
import { findApiKey } from '../../src/server/api-keys.js';
import { newDatabaseAddress, openDatabaseAt, sql } from '../support/test-database.js';

test('the database rejects a label that is taken', async () => {
  const database = await openDatabaseAt(await newDatabaseAddress());
  const insert = (digest: string) =>
    database.write(sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, plan, owner, label)
      VALUES (${digest}, 'p', 60, 1000, 0, 'free', ${digest}, 'ci')`);
  await insert('first');
  await expect(insert('second')).rejects.toMatchObject({ reason: 'unusable' });
  expect(await findApiKey(database, 'second')).toBeUndefined();
});
