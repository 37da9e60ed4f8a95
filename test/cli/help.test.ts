import { expect, test } from 'vitest';
import { flattenOutline } from '../../src/docgen/outline.js';
import { outlineAllCommands } from '../../src/generate.js';
import { createTestCli } from '../support/test-cli.js';

const commands = flattenOutline(outlineAllCommands());
const named = commands.map((outline) => [outline.words.join(' '), outline] as const);

/** The imperative verbs that start summaries. */
const verbs = [
  'Add',
  'Back',
  'Back',
  'Browse',
  'Change',
  'Check',
  'Create',
  'Delete',
  'Diagnose',
  'Export',
  'Import',
  'List',
  'Log',
  'Manage',
  'Print',
  'Remove',
  'Rename',
  'Reset',
  'Restore',
  'Revoke',
  'Run',
  'Save',
  'Select',
  'Send',
  'Set',
  'Show',
  'Switch',
  'View',
  'Verify',
  'Work',
];

test.each(named)('%s --help fits into 99 columns with examples first', async (_, outline) => {
  const { run } = createTestCli({ columns: 200 });
  const { stdout, exitCode } = await run([...outline.words.slice(1), '--help']);
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').filter((line) => line.length > 99)).toEqual([]);
  const [usage, purpose, examples] = stdout.split('\n\n');
  expect(usage).toMatch(/^Usage: petstore/);
  expect(purpose?.replaceAll('\n', ' ')).toBe(outline.summary);
  expect(examples).toMatch(outline.words.length === 1 ? /^Examples:\n {2}petstore / : /^Examples:\n {2}# /);
  expect(stdout).toMatch(/\nLearn more:[\s\S]*petstore help.*\n$/);
});

test('the help of petstore fits 34 lines of 80 columns, with the flags that everyone needs', async () => {
  const { stdout } = await createTestCli({ columns: 80 }).run([]);
  expect(stdout.split('\n').length - 1).toBeLessThanOrEqual(34);
  const flags = [...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  expect(flags).toEqual(['--profile', '--output', '--json', '--jq', '--fields', '--yes', '--quiet', '--help']);
});

test.each([
  ['pets list --help --json', ['help', 'pets', 'list', '--json']],
  ['--help pets --json', ['help', 'pets', '--json']],
  ['serve -h --json --port 0', ['help', 'serve', '--json']],
  ['--help --json', ['help', '--json']],
])('petstore %s describes the command to programs', async (line, words) => {
  const { run } = createTestCli();
  const { stdout } = await run(words);
  expect(await run(line.split(' '))).toEqual({ stdout, stderr: '', exitCode: 0 });
});

test.each([
  ['--help pets', 'pets'],
  ['-h pets list', 'pets list'],
  ['pets --help list --quiet', 'pets list'],
  ['serve --help keys create', 'serve keys create'],
  ['--help --quiet', ''],
])('petstore %s prints the help of the command that it names', async (words, path) => {
  const { run } = createTestCli();
  const { stdout } = await run([...(path === '' ? [] : path.split(' ')), '--help']);
  expect(await run(words.split(' '))).toEqual({ stdout, stderr: '', exitCode: 0 });
});

test('--help after -- is an argument', async () => {
  const { stderr } = await createTestCli().run(['pets', 'get', '--', '--help', 'x']);
  expect(stderr).toContain('petstore pets get takes at most 1 argument');
});

test.each([80, 40])('help wraps at words in %d columns, and breaks no command', async (columns) => {
  const { run } = createTestCli({ columns });
  for (const command of [[], ['pets', 'import']]) {
    const { stdout } = await run([...command, '--help']);
    const long = stdout.split('\n').filter((line) => line.length > columns && !/^ *(?:# |petstore )/.test(line));
    expect(long).toEqual([]);
  }
});

test.each(named)('%s has examples and a summary of one sentence', (words, outline) => {
  expect(outline.examples.length).toBeGreaterThan(0);
  expect(outline.summary).toMatch(/^[A-Z][^.]*\.$/);
  expect(verbs).toContain(outline.summary.split(/[ ,]/)[0]);
  expect(outline.summary.length).toBeLessThanOrEqual(60);
  for (const [line] of outline.examples) {
    const own = outline.commands.length > 0 ? 'petstore ' : words;
    expect(line).toContain(own);
  }
});

test.each(named)('%s describes flags and arguments with phrases, and examples with captions', (_, outline) => {
  for (const { description, names, value = '' } of outline.flags) {
    expect(description, names.join()).toMatch(/^(?:[a-z0-9-]|API|TCP|SQLite|JSON|HTTP).*[^.]$/);
    if (!['-f', '-F'].includes(names[0] ?? '')) expect(value, names.join()).toMatch(/^$|^[<[][a-z0-9:-]+[>\]]$/);
  }
  for (const { description } of outline.arguments) expect(description).toMatch(/^\S.*[^.]$/);
  for (const [, caption] of outline.examples) expect(caption).toMatch(/^[A-Z].*[^.]$/);
});

test('the help of serve groups its flags, without those for deployment', async () => {
  const { stdout } = await createTestCli().run(['serve', '--help']);
  const titles = [...stdout.matchAll(/^(\w+(?: \w+)* flags):$/gm)].map(([, title]) => title);
  expect(titles).toEqual(
    ['Connection', 'Operation', 'Data', 'Limit', 'Fault injection'].map((name) => `${name} flags`),
  );
  expect(stdout).not.toMatch(/--drain|--profile/);
});
