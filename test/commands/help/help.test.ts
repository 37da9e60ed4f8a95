import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorStatus } from '../../../src/api/error.js';
import { flattenOutline, isRunnable } from '../../../src/docgen/outline.js';
import { errorCodes } from '../../../src/error-codes.js';
import { outlineAllCommands } from '../../../src/generate.js';
import { createTestCli } from '../../support/test-cli.js';

test('help prints the manual page of petstore, a command or a topic', async () => {
  const cli = createTestCli();
  for (const words of [[], ['pets'], ['pets', 'list'], ['serve'], ['auth', 'login'], ['errors']]) {
    const help = await cli.run(['help', ...words]);
    expect(help.stdout).toContain(`NAME\n  petstore${words.map((word) => `-${word}`).join('')}(`);
    expect(help).toMatchObject({ stderr: '', exitCode: 0 });
    expect(help.stdout.split('\n').filter((line) => line.length >= 100)).toEqual([]);
  }
  expect((await cli.run(['help', 'agents'])).stdout).toBe(readFileSync('SKILL.md', 'utf8'));
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

test('help --json describes every command, flag, setting and code', async () => {
  const { stdout } = await createTestCli().run(['help', '--json']);
  const { commands, globalFlags, settings, exitCodes, ...rest } = JSON.parse(stdout);
  const find = (path: string) => commands.find((command: { path: string }) => command.path === path);
  const flagOf = (path: string, flag: string) => find(path).flags.find(({ name }: { name: string }) => name === flag);
  expect(commands.map(({ path }: { path: string }) => path)).toEqual(
    flattenOutline(outlineAllCommands())
      .filter(isRunnable)
      .map(({ words }) => words.slice(1).join(' ')),
  );
  expect(flagOf('pets list', '--limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 1_000_000 });
  expect(flagOf('pets list', '--watch')).toMatchObject({ type: 'number', optionalValue: true });
  expect(flagOf('api', '-f')).toMatchObject({ type: 'string', repeatable: true });
  expect(find('profile set').arguments).toMatchObject([{ name: 'name', type: 'profile', required: true }]);
  expect(globalFlags).toContainEqual({
    name: '--output',
    short: '-o',
    description: 'table, json, ndjson, yaml, csv, tsv (default: table)',
    type: 'string',
    choices: ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'],
    default: 'table',
    variable: 'PETSTORE_OUTPUT',
    repeatable: false,
  });
  expect(settings).toContainEqual(
    expect.objectContaining({ name: 'timeout', type: 'number', default: 30, flag: '--timeout', perProfile: false }),
  );
  const writing = commands
    .filter(({ writes }: { writes: boolean }) => writes)
    .map(({ path }: { path: string }) => path);
  expect(writing).toEqual(['pets browse', 'pets add', 'pets import', 'api', 'sandbox reset']);
  expect(Object.keys(find('pets list'))).toEqual([
    'path',
    'summary',
    'arguments',
    'flags',
    'writes',
    'examples',
    'output',
  ]);
  expect(find('pets list').output).toEqual([
    { name: 'id', type: 'integer', optional: false },
    { name: 'name', type: 'string', optional: false },
    { name: 'categoryId', type: 'integer', optional: false },
    { name: 'status', type: 'string', optional: true },
  ]);
  expect(find('config set').output).toEqual([]);
  expect(exitCodes).toContainEqual({ code: 0, meaning: 'success' });
  expect(rest.errorCodes.map(({ code }: { code: string }) => code)).toEqual(Object.keys(errorCodes).sort());
});

test('help describes one command or group in machine formats', async () => {
  const { run } = createTestCli();
  const command = await run(['help', 'pets', 'list', '--json', '--jq', '.commands[].path']);
  expect(command.stdout).toBe('pets list\n');
  const group = await run(['help', 'serve', '-o', 'csv', '--fields', 'path,writes']);
  expect(group.stdout).toBe(
    'path,writes\nserve,false\nserve keys create,false\nserve keys list,false\nserve keys update,false\n' +
      'serve keys rotate,false\nserve keys revoke,false\n',
  );
  const topic = await run(['help', 'errors', '-o', 'yaml']);
  expect(topic).toMatchObject({ stdout: '', exitCode: 2 });
  expect(topic.stderr).toMatch(/"message":"help errors prints text, not yaml"/);
});
