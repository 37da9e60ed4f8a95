import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from '../support/petstore.js';

const otherUser = 12_345;
const canRunAsOtherUser =
  process.getuid?.() === 0 &&
  spawnSync(node, [binary, '--version'], { uid: otherUser, gid: otherUser, cwd: '/' }).status === 0;

/** Returns a home directory whose configuration belongs to root, as after `sudo petstore`. */
function createHomeOfRoot(): string {
  const home = temporaryDirectory();
  const directory = join(home, '.config/petstore');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.json'), '{}');
  writeFileSync(join(directory, 'credentials.json'), '{}');
  chmodSync(home, 0o755);
  chmodSync(directory, 0o700);
  return home;
}

function run(home: string, args: readonly string[], uid?: number) {
  const options = { env: bareEnv(home), extendEnv: false, reject: false, cwd: '/' };
  return execa(node, [binary, ...args], { ...options, ...(uid !== undefined && { uid, gid: uid }) });
}

test.skipIf(!canRunAsOtherUser)(
  'profile list prints the profiles if another user owns the configuration (needs root, and programs that others can run)',
  async () => {
    const { stdout, stderr, exitCode } = await run(createHomeOfRoot(), ['profile', 'list', '--json'], otherUser);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toEqual(['sandbox', 'staging', 'production']);
    expect(stderr).toMatch(/^! cannot read \S+config.json \(EACCES\); check the owner and permissions of the file$/m);
    expect(stderr).not.toContain('error');
  },
);

test.skipIf(!canRunAsOtherUser)(
  'doctor names the owner as the cause of the failed check (needs root, and programs that others can run)',
  async () => {
    const { stdout, exitCode } = await run(createHomeOfRoot(), ['doctor', '--json'], otherUser);
    expect(exitCode).toBe(1);
    const checks = JSON.parse(stdout) as { check: string; status: string; advice?: string }[];
    const failed = checks.filter(({ status }) => status === 'failed');
    expect(failed.map(({ check }) => check)).toEqual(['configuration']);
    for (const { advice } of failed) expect(advice).toBe('check the owner and permissions of the file');
  },
);

test.each([['profile', 'list'], ['config', 'list'], ['--help'], ['--version'], ['quota']])(
  'HOME=/dev/null counts as no configuration for %s %s',
  async (...args) => {
    const { stderr, exitCode } = await run('/dev/null', args);
    expect(stderr).not.toMatch(/warning|error/);
    expect(exitCode).toBe(0);
  },
);

test('a deleted working directory stops no command', async () => {
  const home = temporaryDirectory();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
  const args = ['-c', script, node, binary, 'config', 'get', 'profile'];
  const { stdout, stderr } = await execa('sh', args, { env: bareEnv(home), extendEnv: false, cwd: home });
  expect({ stdout, stderr }).toEqual({ stdout: 'sandbox', stderr: '' });
});
