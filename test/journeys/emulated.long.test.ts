import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { isInstalled } from '../support/is-installed.js';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';

const repository = join(import.meta.dirname, '../..');
/** Not the folder of standalone.long.test.ts, which runs an executable in it. */
const output = join(repository, 'out/emulated');
/** Libraries of the package libc6-arm64-cross of Debian. */
const libraries = '/usr/aarch64-linux-gnu';

const systems = [
  { name: 'Linux on arm64', target: 'linux-arm64', emulator: ['qemu-aarch64', '-L', libraries], needs: [libraries] },
  // A processor of 2008 has no AVX2.
  { name: 'an old processor', target: 'linux-x64', emulator: ['qemu-x86_64', '-cpu', 'Nehalem'], needs: [] },
].map((system) => ({
  ...system,
  isMissing: !isInstalled(system.emulator[0] ?? '') || !system.needs.every((path) => existsSync(path)),
}));

for (const { name, target, emulator, needs, isMissing } of systems) {
  const tools = [emulator[0], ...needs, 'the runtime of Bun from npm'].join(', ');
  test.skipIf(isMissing)(`the executable for ${name} works in an emulator (needs ${tools})`, async (context) => {
    const built = await execa(process.execPath, [join(repository, 'standalone/build.js'), target, '--output', output], {
      reject: false,
    });
    context.skip(/cannot (?:download|build for)/.test(built.stderr), 'the runtime of Bun is missing');
    const home = temporaryDirectory();
    const [file = '', ...options] = emulator;
    const run = (...args: readonly string[]) =>
      execa(file, [...options, built.stdout, ...args], { env: bareEnv(home), extendEnv: false, cwd: home });
    expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await run('pets', 'list', '--limit', '1')).stdout).toContain('Ada');
  });
}
