import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findApiKey } from '../../../../src/server/api-keys.js';
import { openDatabase } from '../../../../src/server/open-database.js';
import { countRequest, keySubject } from '../../../../src/server/rate-limits.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestCli } from '../../../support/test-cli.js';

test('serve keys unban removes a ban once, and says how long clients still wait', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const keys = (...words: readonly string[]) => cli.run(['serve', 'keys', ...words]);
  const create = ['create', '--plan', 'free', '--per-minute', '1', '--label', 'ci', '--json'];
  const { apiKey, keyPrefix } = JSON.parse((await keys(...create)).stdout);
  const path = join(cli.home, '.local/share/petstore/store.db');
  const database = await openDatabase({ path, clock, nodeVersion: process.versions.node });
  const key = await findApiKey(database, apiKey);
  for (let sent = 0; key && sent < 11; sent += 1) {
    await countRequest(database, keySubject(key.owner, key.limits), clock.now());
  }
  await database.close();
  const bannedUntil = async () => JSON.parse((await keys('list', '--json')).stdout)[0].bannedUntil;
  const banEnd = new Date(clock.now() + 300_000).toISOString();
  expect(await bannedUntil()).toBe(banEnd);
  expect(await keys('unban', 'ci')).toEqual({
    stdout: '',
    stderr: `✓ Removed the ban of API key ${keyPrefix} (ci)\nClients that received the ban wait for another 5m.\n`,
    exitCode: 0,
  });
  expect(await bannedUntil()).toBeNull();
  expect(await keys('unban', keyPrefix)).toEqual({
    stdout: '',
    stderr: `API key ${keyPrefix} (ci) is not banned.\n`,
    exitCode: 0,
  });
  expect((await keys('unban', 'nobody')).exitCode).toBe(2);
});
