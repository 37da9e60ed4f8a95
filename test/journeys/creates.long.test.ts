import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { autoAdvancingClock } from '../support/clock.js';
import { csvOf, journalsOf, type Pet, summaryOf, waitUntil, writeInput } from '../support/imports.js';
import { newUser, openPipes, temporaryDirectory, type User } from '../support/petstore.js';
import { newPostgres, programs } from '../support/postgres.js';
import { startFaultyProxy } from '../support/proxy.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';
import { createTestCli } from '../support/test-cli.js';

const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '100000000'];
const rows = 1_000;
const allNames = Array.from({ length: rows }, (_, row) => `Pet ${row + 1}`);
const singleAdds = allNames.slice(0, 300);

/** Starts servers on one database; `kill` ends one with SIGKILL and starts another in its place. */
async function startServers(database: string, count: number, ...flags: readonly string[]) {
  const start = () => startServeProcess(...unlimited, '--database', database, ...flags);
  const servers: ServeProcess[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await start());
  const [{ apiKey }] = servers as [ServeProcess];
  let killed = 0;
  return {
    apiKey,
    targets: () => servers.map(({ baseUrl }) => baseUrl),
    kill: async () => {
      const index = killed % count;
      killed += 1;
      await servers[index]?.stop('SIGKILL');
      servers[index] = await start();
    },
  };
}

const storages: readonly [name: string, count: number, newDatabase: () => Promise<string>][] = [
  ['SQLite', 1, async () => join(temporaryDirectory(), 'store.db')],
  ['two servers on one PostgreSQL', 2, newPostgres],
];

describe.each(storages)('through a network that loses every third response, with %s', (name, count, newDatabase) => {
  const isMissing = name !== 'SQLite' && programs === undefined;

  test.skipIf(isMissing)(
    'pets added one by one are added once',
    async () => {
      const { apiKey, targets } = await startServers(await newDatabase(), count);
      const env = { PETSTORE_BASE_URL: await startFaultyProxy({ targets }), PETSTORE_API_KEY: apiKey };
      // Pauses between attempts take no time; deadlines are longer and never end.
      const { run } = createTestCli({ env, clock: autoAdvancingClock(Date.now(), 20_000) });
      // Its response proves that the service honors keys.
      await run(['pets', 'list']);
      for (const pet of singleAdds) {
        const added = await run(['pets', 'add', '--name', pet, '--category-id', '7', '--json']);
        expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`"${pet}"`) });
      }
      const { stdout } = await run(['pets', 'list', '--all', '--json']);
      expect(addedNames(JSON.parse(stdout))).toEqual([...singleAdds].sort());
    },
    600_000,
  );

  test.skipIf(isMissing)(
    'an import that is killed 50 times, and its servers 5 times, adds each pet once',
    async () => {
      // Slow enough for 50 kills.
      const { apiKey, targets, kill } = await startServers(await newDatabase(), count, '--latency', '150');
      const env = { PETSTORE_BASE_URL: await startFaultyProxy({ targets }), PETSTORE_API_KEY: apiKey };
      const user = newUser();
      await user.run(['pets', 'list'], { env });
      const summary = await importWithKills(user, env, kill);
      expect(summary).toMatchObject({ unknown: 0, notSent: 0, rejected: 0 });
      const { stdout } = await user.run(['pets', 'list', '--all', '--json'], { env });
      expect(addedNames(JSON.parse(stdout))).toEqual([...allNames].sort());
    },
    600_000,
  );
});

test('a service that ignores keys gets no row twice, and each unknown outcome is listed', async () => {
  const { apiKey, targets } = await startServers(join(temporaryDirectory(), 'store.db'), 1);
  const baseUrl = await startFaultyProxy({ targets, ignoresKeys: true });
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey };
  const user = newUser();
  const path = writeInput(user, 'pets.csv', csvOf(rows));
  const run = await user.run(['pets', 'import', path, '--json'], { env });
  const { added, unknown, unknownRows } = summaryOf(run) as {
    added: number;
    unknown: number;
    unknownRows: readonly Pet[];
  };
  expect({ sum: added + unknown, exitCode: run.exitCode }).toEqual({ sum: rows, exitCode: 10 });
  const { stdout } = await user.run(['pets', 'list', '--all', '--json'], { env });
  const names = addedNames(JSON.parse(stdout));
  expect(new Set(names).size).toBe(names.length);
  const missing = allNames.filter((one) => !names.includes(one));
  expect(unknownRows.map(({ name }) => name)).toEqual(expect.arrayContaining(missing));
  expect(unknown).toBeGreaterThan(missing.length);
  const again = await user.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(again)).toMatchObject({ added: 0, unknown });
}, 600_000);

/** Returns the sorted names of pets that are no samples. */
function addedNames(pets: readonly Pet[]): readonly string[] {
  return pets.flatMap(({ name }) => (/^Pet \d/.test(name) ? [name] : [])).sort();
}

/** Returns the bytes of the journals of a user. */
function journalSize(user: User): number {
  return journalsOf(user).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Makes the locks of a killed process stale at once, as if 3 seconds had passed. */
function ageLocks({ home }: User): void {
  for (const lock of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    if (lock.endsWith('.lock')) utimesSync(join(home, lock), 0, 0);
  }
}

/** Repeats an import, kills its first 50 runs, and returns the summary of the run that succeeds. */
async function importWithKills(user: User, env: Readonly<Record<string, string>>, killServer: () => Promise<void>) {
  const path = writeInput(user, 'pets.csv', csvOf(rows));
  const args = ['pets', 'import', path, '--json'];
  for (let kills = 0; ; kills += 1) {
    const before = journalSize(user);
    const { child, ended } = openPipes(user, args, env);
    if (kills % 10 === 5 && kills < 50) await killServer();
    if (kills < 50) {
      await Promise.race([waitUntil(() => journalSize(user) > before), ended]);
      await Promise.race([systemClock.sleep(Math.random() * 300), ended]);
      child.kill('SIGKILL');
    }
    const run = await ended;
    ageLocks(user);
    const isDone = run.exitCode === 0 || (run.exitCode !== null && kills > 100);
    if (isDone) return summaryOf(run as never);
  }
}
