import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';
import { startServeCommand } from '../support/serve-process.js';

const repository = join(import.meta.dirname, '../..');
const build = spawnSync(process.execPath, [join(repository, 'standalone/build.js')], { encoding: 'utf8' });
const isMissing = /cannot build for|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENOTCACHED/.test(build.stderr);
const executable = build.stdout.trim();

const runIn = (cwd: string, args: readonly string[], { env = {}, input = '' } = {}) =>
  execa(executable, args, { env: { ...bareEnv(temporaryDirectory()), ...env }, extendEnv: false, cwd, input });

const describeNeeds = '(needs the runtime of Bun from npm)';

test.skipIf(isMissing)(`the executable runs the main commands ${describeNeeds}`, async () => {
  expect(build.status, build.stderr).toBe(0);
  const smoke = join(repository, '.ci/smoke.js');
  // The keyring of this machine may be missing or locked.
  const steps = ['version', 'list and add', 'import after a kill', 'quota of 12 processes', 'browse'];
  const { exitCode, all } = await execa(process.execPath, [smoke, '--executable', executable, ...steps], {
    reject: false,
    all: true,
  });
  expect(exitCode, all).toBe(0);
});

test.skipIf(isMissing)(`serve responds ${describeNeeds}`, async () => {
  const { baseUrl, apiKey, stop } = await startServeCommand([executable]);
  const headers = { authorization: `Bearer ${apiKey}` };
  expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200);
  await stop();
});

test.skipIf(isMissing)(`files in the working directory change nothing ${describeNeeds}`, async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, '.env'), 'PETSTORE_BASE_URL=http://127.0.0.1:9\nPETSTORE_PROFILE=other\n');
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./preload.js"]\n');
  writeFileSync(join(folder, 'preload.js'), "console.log('preloaded');");
  const { stdout } = await runIn(folder, ['pets', 'list', '--limit', '1', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'Ada' }]);
});

test.skipIf(isMissing)(`no keyring of the working directory is loaded ${describeNeeds}`, async () => {
  const folder = temporaryDirectory();
  const proof = join(folder, 'loaded');
  const planted = join(folder, 'node_modules/@napi-rs', `keyring-${process.platform}-${process.arch}-gnu`);
  mkdirSync(planted, { recursive: true });
  writeFileSync(join(planted, 'index.js'), `require('node:fs').writeFileSync(${JSON.stringify(proof)}, '');`);
  const login = ['auth', 'login', '-p', 'staging', '--base-url', 'http://127.0.0.1:1/v1', '--with-key', '--keyring'];
  const options = { env: { TMPDIR: join(folder, 'missing') }, input: 'pets_canary_0123456789' };
  await expect(runIn(folder, login, options)).rejects.toThrow(/cannot use the system keyring: .+ cannot be loaded/);
  expect(existsSync(proof)).toBe(false);
});

test.skipIf(isMissing)(
  `the executable contains the packages for jq, PostgreSQL and Redis ${describeNeeds}`,
  async () => {
    const home = temporaryDirectory();
    const names = await runIn(home, ['pets', 'list', '--limit', '2', '--jq', '.[].name']);
    expect(names.stdout).toBe('Ada\nArchie');
    const database = 'postgres://petstore@127.0.0.1:9/petstore';
    await expect(runIn(home, ['serve', '--port', '0', '--database', database])).rejects.toThrow('connect ECONNREFUSED');
    const remote = { PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1', PETSTORE_API_KEY: 'pets_0123456789' };
    const quota = await runIn(home, ['quota'], { env: { ...remote, PETSTORE_QUOTA_STORE: 'redis://127.0.0.1:9' } });
    expect(quota.stderr).toContain('redis://127.0.0.1:9/0 refused the connection');
  },
);

test.skipIf(isMissing)(`pets import reads a named pipe ${describeNeeds}`, async () => {
  const script = `'${executable}' pets import <(printf 'name,categoryId\\nRex,7\\n') --yes`;
  const { stderr } = await execa('bash', ['-c', script], { env: bareEnv(temporaryDirectory()), extendEnv: false });
  expect(stderr).toContain('Added 1 pet to sandbox');
});
