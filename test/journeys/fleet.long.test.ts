import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { newUser, openPipes, type User } from '../support/petstore.js';
import { hasRedis, startRedis } from '../support/redis.js';
import { countRateLimitedByWindow, startServiceWithShortWindow } from '../support/test-server.js';

const perWindow = 20;
const notice = 'the quota is not shared with other machines';

/** On a busy machine, Redis may time out; a process then counts alone, as designed. */
const retry = 2;

describe.skipIf(!hasRedis)('with redis-server, three machines that share a key', { retry }, () => {
  test('send 200 requests with at most one 429 per window and no ban', async () => {
    const { env, timedStatuses: answers } = await startServiceWithShortWindow(perWindow);
    const store = { ...env, PETSTORE_QUOTA_STORE: (await startRedis()).url };
    let left = 200;
    const machine = async ({ run }: User) => {
      while (left > 0) {
        left -= 1;
        const args = ['pets', 'list', '--limit', '1', '--json'];
        const { exitCode, stderr } = await run(args, { env: store });
        expect({ exitCode, stderr }).toEqual({
          exitCode: 0,
          stderr: expect.not.stringContaining(notice),
        });
      }
    };
    await Promise.all([newUser(), newUser(), newUser()].map(machine));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    expect(Math.max(0, ...countRateLimitedByWindow(answers))).toBeLessThanOrEqual(1);
  }, 180_000);

  test('import 200 pets with one notice each if Redis is killed', async () => {
    const { env, timedStatuses: answers } = await startServiceWithShortWindow(perWindow);
    const redis = await startRedis();
    const store = { ...env, PETSTORE_QUOTA_STORE: redis.url };
    const runs = [70, 70, 60].map((rows) => startImport(newUser(), rows, store));
    const added = () => answers.filter(({ status }) => status === 201).length;
    while (added() < 55) await systemClock.sleep(20);
    // All three still import, and they have shared the quota so far.
    expect(Math.max(0, ...countRateLimitedByWindow(answers))).toBeLessThanOrEqual(1);
    await redis.kill();
    for (const { stderr, exitCode } of await Promise.all(runs.map(({ ended }) => ended))) {
      expect(exitCode).toBe(0);
      expect(stderr.split(notice)).toHaveLength(2);
    }
    expect(added()).toBe(200);
    expect(answers.filter(({ status }) => status !== 201 && status !== 429)).toEqual([]);
  }, 180_000);
});

function startImport(user: User, rows: number, env: Readonly<Record<string, string>>) {
  const path = join(user.home, 'pets.csv');
  const lines = Array.from({ length: rows }, (_, row) => `Pet ${row},1\n`);
  writeFileSync(path, `name,categoryId\n${lines.join('')}`);
  return openPipes(user, ['pets', 'import', path], env);
}
