import { expect, test } from 'vitest';
import { errorStatus } from '../../../src/api/error.js';
import { errorCodes } from '../../../src/error-codes.js';
import { createTestCli } from '../../support/test-cli.js';

test('help prints the manual page of petstore, a command or a topic', async () => {
  const cli = createTestCli();
  for (const words of [[], ['pets'], ['pets', 'list'], ['serve'], ['auth', 'login'], ['formats'], ['errors']]) {
    const help = await cli.run(['help', ...words]);
    expect(help.stdout).toContain(`NAME\n  petstore${words.map((word) => `-${word}`).join('')}(`);
    expect(help).toMatchObject({ stderr: '', exitCode: 0 });
    expect(help.stdout.split('\n').filter((line) => line.length >= 100)).toEqual([]);
  }
  expect((await cli.run([])).stdout).toBe((await cli.run(['--help'])).stdout);
  expect((await cli.run(['help', 'pets', 'lsit'])).stderr).toBe(
    'error: unknown command "lsit"\n  hint: did you mean "petstore help pets list"?\n',
  );
});

test('help errors lists every error code of petstore and its server with its fix', async () => {
  const { stdout } = await createTestCli({ columns: 99 }).run(['help', 'errors']);
  for (const code of [...Object.keys(errorCodes), ...Object.keys(errorStatus)]) {
    expect(stdout).toMatch(new RegExp(`^ {2}${code}\\s+\\S`, 'm'));
  }
});

test.each([['--json'], ['-o', 'yaml']])('help rejects %s', async (...flags) => {
  const { stdout, stderr, exitCode } = await createTestCli().run(['help', 'pets', 'list', ...flags]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toMatch(/"message":"help prints text, not (json|yaml)"/);
});
