import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { installWine, wineFolder, wineNeeds } from '../support/wine.js';

const repository = join(import.meta.dirname, '../..');
const node = await installWine();
const folder = 'Z:\\tmp\\app\\petstore';

/** The steps of smoke.js that need no pseudo-terminal, which a program under Wine cannot open. */
const steps = [
  'version',
  'list and add',
  'import after a kill',
  'quota of 12 processes',
  'cache after an upgrade',
  'credential store',
  'export over an open file',
  'serve over loopback',
];

describe.skipIf(node === undefined)(`with Node.js for Windows under Wine (needs ${wineNeeds})`, () => {
  test('the main commands work', async () => {
    const [file = '', ...args] = node?.(`${folder}\\test\\support\\smoke.js`, ...steps) ?? [];
    const { stdout } = await execa(file, args, { timeout: 500_000, killSignal: 'SIGKILL', reject: false });
    expect(withoutTimes(stdout)).toBe(steps.map((step) => `ok: ${step}`).join('\n'));
  }, 510_000);

  test('the main commands of the executable work', async (context) => {
    const build = await execa(process.execPath, [join(repository, 'standalone/build.js'), 'win32-x64'], {
      reject: false,
    });
    context.skip(/cannot download/.test(build.stderr), 'the runtime of Bun is missing');
    cpSync(build.stdout, join(wineFolder, 'app/petstore/bin/petstore.exe'));
    const executable = `${folder}\\bin\\petstore.exe`;
    // There is no code cache. Bun opens the file of its keyring by the name of a device, which Wine does not know.
    const chosen = steps.filter((step) => step !== 'cache after an upgrade' && step !== 'credential store');
    const [file = '', ...args] =
      node?.(`${folder}\\test\\support\\smoke.js`, '--executable', executable, ...chosen) ?? [];
    const { stdout } = await execa(file, args, { timeout: 500_000, killSignal: 'SIGKILL', reject: false });
    expect(withoutTimes(stdout)).toBe(chosen.map((step) => `ok: ${step}`).join('\n'));
  }, 510_000);

  test('pets browse draws and filters pets', async () => {
    const command = node?.(`${folder}\\bin\\petstore.js`, 'pets', 'browse') ?? [];
    const script = join(import.meta.dirname, '../support/smoke.js');
    const options = { timeout: 500_000, killSignal: 'SIGKILL', reject: false } as const;
    const { stdout } = await execa(process.execPath, [script, 'browse', '--', ...command], options);
    expect(stdout).toMatch(/^ok: browse/);
  }, 510_000);
});

/** Also removes the lines of Wine itself: on a busy machine, it complains while it completes its first start. */
function withoutTimes(stdout: string): string {
  return stdout.replace(/ \([\d.]+ s\)/g, '').replace(/^wine: .*\n/gm, '');
}
