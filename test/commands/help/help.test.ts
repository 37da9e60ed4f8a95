import { expect, test } from 'vitest';
import { createTestCli } from '../../support/test-cli.js';

test('help prints the manual page of petstore, a command or a topic', async () => {
  const cli = createTestCli();
  for (const words of [[], ['pets'], ['pets', 'list'], ['serve'], ['auth', 'login'], ['formats']]) {
    const help = await cli.run(['help', ...words]);
    expect(help.stdout).toContain(`NAME\n  petstore${words.map((word) => `-${word}`).join('')}(`);
    expect(help).toMatchObject({ stderr: '', exitCode: 0 });
    expect(help.stdout.split('\n').filter((line) => line.length >= 100)).toEqual([]);
  }
  expect((await cli.run([])).stdout).toBe((await cli.run(['--help'])).stdout);
  expect((await cli.run(['help', 'pets', 'lsit'])).stderr).toBe(
    'error: unknown command \'lsit\'\n  hint: did you mean "list"?\n',
  );
});
