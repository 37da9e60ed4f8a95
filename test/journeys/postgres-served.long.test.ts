import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { bareEnv, copyAlone, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { newPostgres, programs, startCluster } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

describe.skipIf(programs === undefined)('three servers on one PostgreSQL', () => {
  test('create it once, and allow one of 200 concurrent requests at 59 of 60', async () => {
    const address = await newPostgres();
    const fleet = await Promise.all(
      [1, 2, 3].map(() => startServeProcess('--database', address, '--trust-proxy', '127.0.0.1')),
    );
    const keys = fleet.map(({ apiKey }) => apiKey).filter((key) => key !== '');
    expect(keys).toHaveLength(1);
    const [key = ''] = keys;
    const [first] = fleet as [ServeProcess];
    const pets = await fetch(`${first.baseUrl}/pets?limit=100`, headersOf(key));
    expect(await pets.json()).toHaveLength(72);
    for (let count = 1; count < 59; count += 1) expect(await list(fleet, count, key)).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => list(fleet, index, key)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 429)).toHaveLength(199);
  });
});

describe.skipIf(programs === undefined)('serve on a PostgreSQL', () => {
  test('returns 503 while it is down, then recovers, and shuts down without it', async () => {
    const cluster = await startCluster();
    const served = await startServeProcess('--database', cluster.address());
    const state = async () => {
      const [pets, health] = await Promise.all([
        fetch(`${served.baseUrl}/pets?limit=1`, headersOf(served.apiKey)),
        fetch(new URL('/healthz', served.baseUrl)),
      ]);
      return [pets.status, health.status, pets.headers.get('retry-after')];
    };
    expect(await state()).toEqual([200, 200, null]);
    await cluster.stop('immediate');
    // The result of the health check is cached for a second.
    await expect.poll(state, { timeout: 15_000 }).toEqual([503, 503, '1']);
    expect(await state()).toEqual([503, 503, '1']);
    await cluster.start();
    await expect.poll(state, { timeout: 15_000 }).toEqual([200, 200, null]);
    await cluster.stop('immediate');
    const { exitCode, log } = await served.stop();
    expect(exitCode).toBe(0);
    expect(log).toMatch(/Z error: the database postgres:\/\/petstore@\/\S+ cannot be reached: /m);
  });

  test('never shows its password', async () => {
    const cluster = await startCluster();
    const address = cluster.address('petstore', 'swordfish99');
    const served = await startServeProcess('--database', address, '--verbose');
    await cluster.stop('immediate');
    await fetch(`${served.baseUrl}/pets`, headersOf(served.apiKey));
    const { log } = await served.stop();
    expect(`${JSON.stringify(served)}${log}`).not.toContain('swordfish99');
    expect(served.database).toBe(`postgres://petstore@/postgres?host=${cluster.folder}`);
    for (const flags of [[], ['--verbose'], ['--json'], ['--json', '--verbose']]) {
      const user = newUser();
      const failed = await user.run(['serve', '--port', '0', '--database', address, ...flags]);
      expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
      expect(failed.stderr).toContain('cannot be reached: ');
      expect(failed.stderr).not.toContain('swordfish99');
    }
  });
});

test('serve names the missing package for PostgreSQL', async () => {
  const args = [join(copyAlone(), 'bin/petstore.js'), 'serve', '--database', 'postgres://db.test/store'];
  const { exitCode, stderr } = await execa(node, args, {
    env: bareEnv(temporaryDirectory()),
    extendEnv: false,
    reject: false,
  });
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    'error: the optional package pg, which PostgreSQL requires, is not installed\n  hint: reinstall petstore with --include=optional',
  );
});

function headersOf(key: string) {
  return { headers: { authorization: `Bearer ${key}` } };
}

async function list(fleet: readonly ServeProcess[], index: number, key: string): Promise<number> {
  const { baseUrl } = fleet[index % fleet.length] as ServeProcess;
  const response = await fetch(`${baseUrl}/pets?limit=1`, headersOf(key));
  await response.text();
  return response.status;
}
