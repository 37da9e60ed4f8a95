import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { good } from '../support/certificates.js';
import { newUser } from '../support/petstore.js';
import { hasRedis, startEncryptedRedis, startRedis } from '../support/redis.js';
import { startService } from '../support/test-service.js';

const list = ['pets', 'list', '--limit', '1', '--json'];
const notice = 'warning: the quota is counted on this machine alone: redis://127.0.0.1:';

// On a machine that is busy a Redis may answer too late for the moment that it is given.
describe.skipIf(!hasRedis)('with redis-server, a ledger there', { retry: 3 }, () => {
  test('is what two machines know of one key, and what quota and doctor tell of', async () => {
    const { env } = await startService({ limits: { perMinute: 60, perDay: 1_000 } });
    const { url } = await startRedis();
    const shared = { ...env, PETSTORE_LEDGER: url };
    await newUser().run(list, { env: shared });
    const other = newUser();
    const quota = await other.run(['quota'], { env: shared });
    expect(quota.stdout).toContain('59 of 60 requests left');
    expect(quota.stdout).toContain(`shared through ${url}\n`);
    const doctor = await other.run(['doctor', '--json'], { env: shared });
    expect(JSON.parse(doctor.stdout)).toContainEqual({
      check: 'ledger',
      status: 'ok',
      detail: expect.stringMatching(/^redis:\/\/127\.0\.0\.1:\d+\/0 answers in \d+ ms$/),
    });
  });

  test('that refuses stops the other machine too, without a request', async () => {
    const { env, statuses } = await startService({ limits: { perMinute: 1, perDay: 1_000 } });
    const shared = { ...env, PETSTORE_LEDGER: (await startRedis()).url };
    await newUser().run(list, { env: shared });
    const refused = await newUser().run([...list, '--max-wait', '0'], { env: shared });
    expect(refused.exitCode).toBe(6);
    expect(statuses).toEqual([200]);
  });

  test('that does not answer costs a moment and one notice', async () => {
    const { env } = await startService();
    const redis = await startRedis();
    redis.freeze();
    const user = newUser();
    const before = await took(() => user.run(list, { env }));
    const frozen = await took(() =>
      user.run(list, { env: { ...env, PETSTORE_LEDGER: redis.url } }),
    );
    expect(frozen.run.exitCode).toBe(0);
    expect(frozen.run.stderr.split(notice)).toHaveLength(2);
    expect(frozen.run.stderr).toContain('does not answer in time');
    expect(frozen.milliseconds - before.milliseconds).toBeLessThan(1_000);
  });

  test('that asks for a password gets it, encrypted, and nobody else does', async () => {
    const { url } = await startEncryptedRedis('--requirepass', 'hush-hush');
    const { env } = await startService();
    const user = newUser();
    const authority = join(user.home, 'authority.pem');
    writeFileSync(authority, good);
    const withPassword = (password: string) => ({
      ...env,
      PETSTORE_LEDGER: url.replace('//', `//:${password}@`),
      NODE_EXTRA_CA_CERTS: authority,
    });
    const right = await user.run([...list, '--debug'], { env: withPassword('hush-hush') });
    expect(right).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
    const wrong = await user.run([...list, '--debug'], { env: withPassword('hush-not') });
    expect(wrong.stderr).toContain(`${url} does not take this user and password (WRONGPASS)`);
    const doctor = await user.run(['doctor'], { env: withPassword('hush-not') });
    expect(doctor.stdout).toMatch(/ledger +warning/);
    const all = [right, wrong, doctor].map(({ stdout, stderr }) => stdout + stderr).join();
    expect(all).not.toContain('hush');
  });
});

async function took<Run>(work: () => Promise<Run>) {
  const begin = Date.now();
  const run = await work();
  return { run, milliseconds: Date.now() - begin };
}

test('a ledger that is away is told of once, whatever asks for it', async () => {
  const { env } = await startService();
  const away = { ...env, PETSTORE_LEDGER: 'redis://:hush-hush@127.0.0.1:1' };
  const user = newUser();
  const quota = await user.run(['quota', '--refresh'], { env: away });
  expect(quota.exitCode).toBe(0);
  expect(quota.stderr.split(notice)).toHaveLength(2);
  const pages = await user.run(['pets', 'list', '--all', '--json'], { env: away });
  expect(pages.exitCode).toBe(0);
  expect(pages.stderr.split(notice)).toHaveLength(2);
  expect((await user.run([...list, '-q'], { env: away })).stderr).toBe('');
  expect(`${quota.stderr}${pages.stderr}`).not.toContain('hush');
});

test('the sandbox asks no other machine', async () => {
  const connections: unknown[] = [];
  const server = createServer().on('connection', (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const env = { PETSTORE_LEDGER: `redis://127.0.0.1:${port}` };
  const user = newUser();
  expect((await user.run(list, { env })).exitCode).toBe(0);
  expect((await user.run(['quota', '--json'], { env })).stdout).not.toContain('redis');
  expect(connections).toEqual([]);
});
