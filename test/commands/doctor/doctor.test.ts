import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { canceledError } from '../../../src/failure.js';
import { startCannedServer } from '../../support/http-server.js';
import type { RunOptions } from '../../support/petstore.js';
import { createFastTestCli, createTestCli, type TestCli } from '../../support/test-cli.js';

async function runDoctor(cli: TestCli, options: RunOptions = {}) {
  const run = await cli.run(['doctor', '--json', '-q'], options);
  const checks = JSON.parse(run.stdout) as { check: string; status: string; detail?: string }[];
  return { ...run, checks, of: (name: string) => checks.find(({ check }) => check === name) };
}

/** The checks without Redis, of a service that sends no `Date`. */
const checkNames = ['node', 'sqlite', 'permissions', 'configuration', 'profile', 'api-key', 'service'];

test('doctor finds no problem with the sandbox, and leaves out the checks that do not apply', async () => {
  const { checks, exitCode } = await runDoctor(createTestCli());
  expect(checks.map(({ check }) => check)).toEqual(checkNames);
  expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(['ok']));
  expect(exitCode).toBe(0);
});

test.each<[string, RunOptions['env'], failed: readonly string[], skipped: readonly string[]]>([
  ['an invalid base URL', { PETSTORE_BASE_URL: 'store' }, ['profile'], ['api-key', 'service']],
  ['no base URL', { PETSTORE_PROFILE: 'production' }, ['profile'], ['api-key', 'service']],
  ['an unknown profile', { PETSTORE_PROFILE: 'nowhere' }, ['profile'], ['api-key', 'service']],
  ['no API key', { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' }, ['api-key'], ['service']],
  [
    'no connection',
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1', PETSTORE_API_KEY: 'pets_0123456789' },
    ['service'],
    [],
  ],
])('doctor skips the checks that cannot run with %s', async (_, env, failed, skipped) => {
  const { checks, stderr } = await runDoctor(createFastTestCli(), { ...(env && { env }) });
  expect(checks.map(({ check }) => check)).toEqual(checkNames);
  const withStatus = (wanted: string) => checks.filter(({ status }) => status === wanted).map(({ check }) => check);
  expect(withStatus('failed')).toEqual(failed);
  expect(withStatus('skipped')).toEqual(skipped);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'check_failed', exitCode: 1 });
});

test('doctor sends one request', async () => {
  const { env, requests } = await startCannedServer({});
  await runDoctor(createTestCli(), { env });
  expect(requests).toHaveLength(1);
});

test('doctor reports a broken configuration, and skips what depends on it', async () => {
  const cli = createTestCli();
  mkdirSync(join(cli.home, '.config/petstore'), { recursive: true, mode: 0o700 });
  writeFileSync(join(cli.home, '.config/petstore/config.json'), '{ broken', { mode: 0o600 });
  const { of, exitCode } = await runDoctor(cli);
  expect((await cli.run(['doctor'])).stderr).not.toContain('is not a JSON object');
  expect(of('configuration')).toMatchObject({ status: 'failed' });
  for (const check of ['profile', 'api-key', 'service']) expect(of(check)).toMatchObject({ status: 'skipped' });
  expect(exitCode).toBe(1);
});

test('doctor reports an invalid variable with a fix', async () => {
  const { stdout, exitCode } = await createTestCli().run(['doctor'], { env: { PETSTORE_READ_ONLY: 'maybe' } });
  expect(stdout).toContain(
    '✗ configuration  the environment variable PETSTORE_READ_ONLY must be 1 or 0\n    fix or unset PETSTORE_READ_ONLY\n',
  );
  expect(exitCode).toBe(1);
});

test('doctor prints each of several problems with its fix', async () => {
  const cli = createTestCli();
  const directory = join(cli.home, '.config/petstore');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.json'), '{"settings":{"timeout":"x","max-wait":"y"}}');
  const share = join(cli.home, '.local/share');
  mkdirSync(join(cli.home, '.local'));
  writeFileSync(share, 'in the way');
  const { stdout } = await cli.run(['doctor', '-q'], { env: { PETSTORE_PROFILE: 'production' } });
  expect(stdout).toContain(
    [
      `! permissions    cannot write in ${share}`,
      '    check its owner and permissions, or set PETSTORE_CONFIG_DIR to another directory',
      '✗ configuration  the saved setting timeout must be a number of seconds above 0 and up to 86400',
      '    run petstore config unset timeout',
      '✗ configuration  the saved setting max-wait must be a number of seconds from 0 to 86400',
      '    run petstore config unset max-wait',
      '',
    ].join('\n'),
  );
});

test.each([
  [{ status: 401, body: '{"code":"c","message":"no","status":401}' }, 'failed', 1],
  [{ status: 429, body: '{"code":"c","message":"slow","status":429}' }, 'warning', 0],
  [{ status: 200, body: '<html>' }, 'failed', 1],
  [{ status: 200, body: '{}' }, 'failed', 1],
])('doctor reports the response %j as %s', async (answer, status, exitCode) => {
  const { env } = await startCannedServer(answer);
  const run = await runDoctor(createFastTestCli(), { env });
  expect(run.of('service')).toMatchObject({ status });
  expect(run.exitCode).toBe(exitCode);
});

test('doctor names the base URL, and its source unless that is the profile', async () => {
  const url = 'http://127.0.0.1:1/v1';
  const cli = createFastTestCli({ env: { PETSTORE_API_KEY: 'pets_0123456789', PETSTORE_TIMEOUT: '86400' } });
  await cli.run(['profile', 'set', 'staging', '--base-url', url, '--read-only']);
  const detailOf = async (env: Record<string, string>, ...flags: readonly string[]) => {
    const { stdout } = await cli.run(['doctor', '--json', '-q', ...flags], { env });
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'profile').detail;
  };
  expect(await detailOf({ PETSTORE_PROFILE: 'staging' })).toBe(`staging, base URL ${url}, read-only`);
  const other = 'http://127.0.0.1:1/v2';
  const env = { PETSTORE_BASE_URL: other };
  expect(await detailOf(env)).toBe(`sandbox, base URL ${other} from PETSTORE_BASE_URL`);
  expect(await detailOf(env, '--base-url', url)).toBe(`sandbox, base URL ${url} from --base-url`);
});

test('doctor reports no failed check if it is canceled', async () => {
  const { env, firstRequest } = await startCannedServer({ hang: true });
  const doctor = await createTestCli().start(['doctor'], { env, until: firstRequest });
  const { stdout, stderr, exitCode } = await doctor.end(canceledError());
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: '', stderr: 'Canceled.\n', exitCode: 130 });
});

test('doctor warns about a wrong clock', async () => {
  const { env } = await startCannedServer({ headers: { date: 'Sat, 21 Nov 2020 12:00:00 GMT' } });
  const { of } = await runDoctor(createTestCli(), { env });
  expect(of('clock')).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(/^the clock of this machine is \d+d \d+h ahead of the service$/),
  });
});

test('doctor fits a terminal of 80 columns', async () => {
  const run = await createTestCli({ columns: 80 }).run(['doctor', '--base-url', 'http://127.0.0.1:1/v1']);
  const text = stripVTControlCharacters(run.stdout);
  expect(text).toContain(
    [
      '\n    set PETSTORE_API_KEY, or run',
      '    petstore auth login --profile <name> --base-url http://127.0.0.1:1/v1\n',
    ].join('\n'),
  );
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
