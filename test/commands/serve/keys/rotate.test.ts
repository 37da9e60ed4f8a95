import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeClock, fakeClock } from '../../../support/clock.js';
import { createTestCli, type TestCli } from '../../../support/test-cli.js';

const start = Date.UTC(2026, 10, 21, 12);

let clock: FakeClock;
let cli: TestCli;
let old: Key;

beforeEach(async () => {
  clock = fakeClock(start);
  cli = createTestCli({ clock });
  old = JSON.parse((await keys('create', '--plan', 'pro', '--label', 'ci', '--json')).stdout);
  clock.advance(1);
});

describe('serve keys rotate', () => {
  test('prints a new key, which has the details of the old one', async () => {
    const { stdout, stderr, exitCode } = await keys('rotate', 'ci', '--json');
    const created = JSON.parse(stdout);
    expect(created).toEqual({
      ...old,
      apiKey: expect.stringMatching(/^pets_[0-9a-z]{50}$/),
      keyPrefix: created.keyPrefix,
    });
    expect(created.apiKey).not.toBe(old.apiKey);
    expect(stderr).toBe(`✓ Rotated API key ${old.keyPrefix} (ci); the old one expires in 1d\n`);
    expect(exitCode).toBe(0);
    expect(await list()).toMatchObject([
      { keyPrefix: old.keyPrefix, label: null, successor: created.keyPrefix, expiresAt: '2026-11-22T12:00:00.001Z' },
      { keyPrefix: created.keyPrefix, label: 'ci', successor: null, expiresAt: null, plan: 'pro' },
    ]);
  });

  test.each([
    ['30s', '2026-11-21T12:00:30.001Z'],
    ['15m', '2026-11-21T12:15:00.001Z'],
    ['7d', '2026-11-28T12:00:00.001Z'],
    ['0s', '2026-11-21T12:00:00.001Z'],
  ])('makes the old key expire after %s', async (overlap, expiresAt) => {
    await keys('rotate', 'ci', '--overlap', overlap);
    expect((await list())[0]).toMatchObject({ keyPrefix: old.keyPrefix, expiresAt });
  });

  test('rotates the new key again, by its label', async () => {
    await keys('rotate', 'ci');
    clock.advance(1);
    expect((await keys('rotate', 'ci')).exitCode).toBe(0);
    expect((await list()).map(({ label }) => label)).toEqual([null, null, 'ci']);
  });

  test('rejects a key that was replaced', async () => {
    await keys('rotate', 'ci');
    const { stdout, stderr, exitCode } = await keys('rotate', old.keyPrefix);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(`error: the API key ${old.keyPrefix} has expired, or was replaced or revoked\n`);
    expect(await list()).toHaveLength(2);
  });

  test('rejects a key that has expired', async () => {
    await keys('update', 'ci', '--expires', '2026-11-21');
    clock.advance(86_400_000);
    const { stderr, exitCode } = await keys('rotate', 'ci');
    expect(stderr).toContain(`error: the API key ${old.keyPrefix} (ci) has expired, or was replaced or revoked\n`);
    expect(exitCode).toBe(2);
    expect(await list()).toHaveLength(1);
  });

  test.each(['', '24', '1.5h', '-1h', '1w', '24 h', '1h30m'])('rejects the overlap %j', async (overlap) => {
    const { stderr, exitCode } = await keys('rotate', 'ci', `--overlap=${overlap}`);
    expect(stderr).toContain(`error: --overlap must be a number with the unit s, m, h or d, not "${overlap}"\n`);
    expect(exitCode).toBe(2);
  });
});

describe('a new key', () => {
  test.each([
    ['create', ['create', '--plan', 'free']],
    ['rotate', ['rotate', 'ci']],
  ])('is not made by %s if --fields hides it', async (_, words) => {
    const { stdout, stderr, exitCode } = await keys(...words, '--fields', 'keyPrefix');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('error: --fields must include apiKey, because the API key is printed only once\n');
    expect(await list()).toMatchObject([{ keyPrefix: old.keyPrefix, label: 'ci', expiresAt: null }]);
  });

  test.each(['--jq', '--fields'])('is saved after it was printed with %s', async (flag) => {
    const { stdout, exitCode } = await keys('rotate', 'ci', flag, flag === '--jq' ? '.apiKey' : 'apiKey');
    expect(stdout).toMatch(/pets_[0-9a-z]{50}/);
    expect(exitCode).toBe(0);
    expect(await list()).toHaveLength(2);
  });
});

interface Key extends Record<string, unknown> {
  readonly apiKey: string;
  readonly keyPrefix: string;
}

function keys(...words: readonly string[]) {
  return cli.run(['serve', 'keys', ...words]);
}

async function list(): Promise<readonly Key[]> {
  return JSON.parse((await keys('list', '--json')).stdout);
}
