import { expect, test } from 'vitest';
import { createTestCli } from '../../support/test-cli.js';

test('petstore alone shows its help, and help the manual page of any command', async () => {
  const world = createTestCli();
  for (const words of [[], ['pets'], ['pets', 'list'], ['serve'], ['auth', 'login'], ['formats']]) {
    const help = await world.run(['help', ...words]);
    expect(help.stdout).toContain(`NAME\n  petstore${words.map((word) => `-${word}`).join('')}(`);
    expect(help).toMatchObject({ stderr: '', exitCode: 0 });
    // The names of some variables are longer than a line.
    const lines = help.stdout.split('\n').filter((line) => line.length >= 100);
    expect(lines).toEqual([]);
  }
  expect((await world.run([])).stdout).toBe((await world.run(['--help'])).stdout);
  expect((await world.run(['help', 'pets', 'lsit'])).stderr).toBe(
    'error: unknown command \'lsit\'\n  hint: did you mean "list"?\n',
  );
});
