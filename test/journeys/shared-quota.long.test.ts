import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { good } from '../support/certificates.js';
import { csvOf, writeInput } from '../support/imports.js';
import { newUser, openPipes } from '../support/petstore.js';
import { hasRedis, startEncryptedRedis, startRedis } from '../support/redis.js';
import { startServeProcess } from '../support/serve-process.js';
import { startService } from '../support/test-server.js';

const list = ['pets', 'list', '--limit', '1', '--json'];
const notice = '! the quota is not shared with other machines: redis://127.0.0.1:';

// On a busy machine, Redis may time out.
describe.skipIf(!hasRedis)('a quota state in Redis (needs redis-server)', { retry: 3 }, () => {
  test('is shared by two machines and shown by quota', async () => {
    const { env } = await startService({ limits: { perMinute: 60, perDay: 1_000 } });
    const { url } = await startRedis();
    const shared = { ...env, PETSTORE_QUOTA_STORE: url };
    await newUser().run(list, { env: shared });
    const other = newUser();
    const quota = await other.run(['quota'], { env: shared });
    expect(quota.stdout).toContain('59 of 60 requests left');
    expect(quota.stdout).toContain(`Shared through ${url}\n`);
  });

  test('stops the other machine without a request', async () => {
    const { env, statuses } = await startService({ limits: { perMinute: 1, perDay: 1_000 } });
    const shared = { ...env, PETSTORE_QUOTA_STORE: (await startRedis()).url };
    await newUser().run(list, { env: shared });
    const limited = await newUser().run([...list, '--max-wait', '0'], { env: shared });
    expect(limited.exitCode).toBe(6);
    expect(statuses).toEqual([200]);
  });

  test('is replaced by one in memory, with one notice, if it does not respond', async () => {
    const { env } = await startService();
    const redis = await startRedis();
    redis.freeze();
    const { stderr, exitCode } = await newUser().run(list, { env: { ...env, PETSTORE_QUOTA_STORE: redis.url } });
    expect(exitCode).toBe(0);
    expect(stderr.split(notice)).toHaveLength(2);
    expect(stderr).toContain('did not respond in time');
  });

  test('leaves imports to count alone, with one notice each, if Redis is killed', async () => {
    const served = await startServeProcess('--plan', 'enterprise', '--latency', '300');
    const redis = await startRedis();
    const env = { ...served.env, PETSTORE_QUOTA_STORE: redis.url };
    const runs = [newUser(), newUser()].map((user) =>
      openPipes(user, ['pets', 'import', writeInput(user, 'pets.csv', csvOf(60)), '--json'], env),
    );
    const countAdded = () => served.log().match(/POST \/v1\/pets 201/g)?.length ?? 0;
    await expect.poll(countAdded).toBeGreaterThan(8);
    await redis.kill();
    for (const { stdout, stderr, exitCode } of await Promise.all(runs.map(({ ended }) => ended))) {
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ added: 60 });
      expect(stderr.split(notice)).toHaveLength(2);
    }
  });

  test('gets its password over TLS, and no output contains it', async () => {
    const { url } = await startEncryptedRedis('--requirepass', 'hush-hush');
    const { env } = await startService();
    const user = newUser();
    const authority = join(user.home, 'authority.pem');
    writeFileSync(authority, good);
    const withPassword = (password: string) => ({
      ...env,
      PETSTORE_QUOTA_STORE: url.replace('//', `//:${password}@`),
      NODE_EXTRA_CA_CERTS: authority,
    });
    const right = await user.run([...list, '--verbose'], { env: withPassword('hush-hush') });
    expect(right).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
    const wrong = await user.run([...list, '--verbose'], { env: withPassword('hush-not') });
    expect(wrong.stderr).toContain(`${url} rejected the user name or password (WRONGPASS)`);
    const doctor = await user.run(['doctor'], { env: withPassword('hush-not') });
    expect(doctor.stderr).toMatch(/^! the quota is not shared /m);
    const all = [right, wrong, doctor].map(({ stdout, stderr }) => stdout + stderr).join();
    expect(all).not.toContain('hush');
  });
});

test('an unreachable quota store is reported once per command', async () => {
  const { env } = await startService();
  const unreachable = { ...env, PETSTORE_QUOTA_STORE: 'redis://:hush-hush@127.0.0.1:1' };
  const user = newUser();
  const quota = await user.run(['quota', '--refresh'], { env: unreachable });
  expect(quota.exitCode).toBe(0);
  expect(quota.stderr.split(notice)).toHaveLength(2);
  const pages = await user.run(['pets', 'list', '--all', '--json'], { env: unreachable });
  expect(pages.exitCode).toBe(0);
  expect(pages.stderr.split(notice)).toHaveLength(2);
  expect((await user.run([...list, '-q'], { env: unreachable })).stderr).toBe('');
  expect(`${quota.stderr}${pages.stderr}`).not.toContain('hush');
});

test('the sandbox never connects to a quota state in Redis', async () => {
  const connections: unknown[] = [];
  const server = createServer().on('connection', (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const env = { PETSTORE_QUOTA_STORE: `redis://127.0.0.1:${port}` };
  const user = newUser();
  expect((await user.run(list, { env })).exitCode).toBe(0);
  expect((await user.run(['quota', '--json'], { env })).stdout).not.toContain('redis');
  expect(connections).toEqual([]);
});
