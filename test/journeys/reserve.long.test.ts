import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csvOf } from '../support/imports.js';
import { newUser, type User } from '../support/petstore.js';
import { hasRedis, startRedis } from '../support/redis.js';
import { startServiceWithShortWindow } from '../support/test-service.js';

const perWindow = 60;
const reserve = 20;

/** On a busy machine, Redis may time out; a process then counts alone, as designed. */
const retry = 2;

/** Imports pets as each of the users at once. Returns the remaining requests that each response reported. */
async function importAsEach(users: readonly User[], env: Readonly<Record<string, string>>) {
  const runs = users.map(async ({ home, run }, index) => {
    await run(['config', 'set', 'reserve', String(reserve)]);
    const path = join(home, `pets-${index}.csv`);
    writeFileSync(path, csvOf(40, `Pet of ${index}`));
    return run(['pets', 'import', path, '--verbose', '--max-wait', '600'], { env });
  });
  const results = await Promise.all(runs);
  for (const { exitCode, stderr } of results) {
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Added 40 pets') });
  }
  const reports = results.flatMap(({ stderr }) => [...stderr.matchAll(/x-ratelimit-remaining: (\d+)/g)]);
  return reports.map(([, remaining]) => Number(remaining));
}

test('three imports on one machine never take the window below the reserve', async () => {
  const { env, statuses } = await startServiceWithShortWindow(perWindow);
  const user = newUser();
  const remaining = await importAsEach([user, user, user], env);
  expect(statuses).toEqual(Array.from({ length: 120 }, () => 201));
  expect(remaining).toHaveLength(120);
  expect(Math.min(...remaining)).toBe(reserve);
}, 60_000);

describe.skipIf(!hasRedis)('with redis-server', { retry }, () => {
  test('three machines that import never take the window below the reserve', async () => {
    const { env, statuses } = await startServiceWithShortWindow(perWindow);
    const ledger = { ...env, PETSTORE_LEDGER: (await startRedis()).url };
    const remaining = await importAsEach([newUser(), newUser(), newUser()], ledger);
    expect(statuses).toEqual(Array.from({ length: 120 }, () => 201));
    expect(remaining).toHaveLength(120);
    expect(Math.min(...remaining)).toBeGreaterThanOrEqual(reserve);
  }, 60_000);
});
