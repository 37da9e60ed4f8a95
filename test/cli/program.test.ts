import { describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/command-spec.js';
import { createProgram, declareAll, parseArguments } from '../../src/cli/program.js';
import { startCannedServer } from '../support/http-server.js';
import { createTestCli } from '../support/test-cli.js';

test('global flags are accepted at any position', async () => {
  const { env } = await startCannedServer({ body: '[]' });
  for (const args of [
    ['--json', 'pets', 'list'],
    ['pets', '--json', 'list'],
    ['pets', 'list', '--json'],
    ['-o', 'csv', 'pets', 'list', '-o', 'json'],
  ]) {
    expect((await createTestCli().run(args, { env })).stdout).toBe('[]\n');
  }
});

describe('a command is declared', () => {
  const declared: string[] = [];
  const spec = (name: string, commands: readonly CommandSpec[] = []): CommandSpec => ({
    name,
    summary: `what ${name} does`,
    describe: () => ({
      declare: (command) => {
        declared.push(name);
        command.option(`--${name}`).action(() => {});
      },
      ...(commands.length > 0 && { commands }),
    }),
  });
  const commands = [spec('pets', [spec('list'), spec('keys', [spec('make')])]), spec('auth')];
  const programOf = (line: readonly string[]) => {
    declared.length = 0;
    const root = { name: 'petstore', summary: 'what petstore does', describe: () => ({ commands }) };
    return createProgram(root, { firstArgument: line[0], write: () => {}, width: 80 });
  };

  test.each([
    ['pets list', ['pets', 'list']],
    ['--json pets list', ['pets', 'list']],
    ['pets keys make', ['pets', 'keys', 'make']],
    ['auth', ['auth']],
  ])('if the command line names it: %s', async (line, names) => {
    const args = line.split(' ');
    await parseArguments(programOf(args), args);
    expect(declared).toEqual(names);
  });

  test('once, with all others, if the whole tree is needed', () => {
    const program = declareAll(programOf(['auth']));
    declareAll(program);
    expect(declared.toSorted()).toEqual(['auth', 'keys', 'list', 'make', 'pets']);
    expect(program.options.map(({ long }) => long)).toContain('--json');
  });
});

test.each(['pets', 'serve keys'])(
  'every help flag prints the help of %s, but not after an unknown command',
  async (group) => {
    const { run } = createTestCli();
    const names = group.split(' ');
    const { stdout } = await run([...names, '--help']);
    expect(stdout).toMatch(/^ {2}\w+ [[<]\w+[\]>]/m);
    expect((await run([...names, '-h', '--quiet'])).stdout).toBe(stdout);
    expect(await run([...names, 'lst', '-h'])).toMatchObject({ stdout: '', exitCode: 2 });
  },
);

test.each(['pets list', 'pets import', 'serve keys revoke'])(
  'the help subcommand prints the help of %s',
  async (command) => {
    const { run } = createTestCli();
    const names = command.split(' ');
    const { stdout } = await run([...names, '--help']);
    const parents = names.slice(0, -1);
    expect((await run([...parents, 'help', names.at(-1) as string])).stdout).toBe(stdout);
  },
);

test('a value may look like a flag', async () => {
  const run = await createTestCli().run(['pets', 'add', '--name', '--json', '--category-id', '-5', '-q']);
  expect(run).toEqual({
    stdout: 'id:         73\nname:       --json\ncategoryId: -5\nstatus:     -\n',
    stderr: '',
    exitCode: 0,
  });
});

test('--quiet leaves stderr empty', async () => {
  const { stderr } = await createTestCli().run(['pets', 'list', '--quiet', '--limit', '1']);
  expect(stderr).toBe('');
});
