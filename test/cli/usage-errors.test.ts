import { expect, test } from 'vitest';
import { petstore } from '../../src/commands/index.js';
import { flattenOutline } from '../../src/docgen/outline.js';
import { outlineAllCommands } from '../../src/generate.js';
import { createTestCli } from '../support/test-cli.js';

/** Runs a command line that must be rejected before anything is sent; returns what stderr shows. */
async function reject(line: string): Promise<string> {
  const { stdout, stderr, exitCode } = await createTestCli().run(line.split(' '));
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  return stderr;
}

test.each([
  ['pets list --sttaus=sold', 'unknown flag --sttaus', 'did you mean "--status"?'],
  ['--jsno pets list', 'unknown flag --jsno', 'did you mean "--json"?'],
  ['pets list --unicorn', 'unknown flag --unicorn', 'run petstore pets list --help'],
  ['pets list --all=1', '--all takes no value', 'pass --all without a value'],
  ['--quiet=1 pets list', '--quiet takes no value', 'pass --quiet without a value'],
  ['pets list --output', '--output needs a value', 'pass one of table, json, ndjson, yaml, csv, tsv'],
  ['pets list -p', '--profile needs a value', 'pass --profile <name>'],
  ['pets list -n 3', 'unknown flag -n', 'run petstore pets list --help'],
  ['pets list dogs', 'petstore pets list takes no arguments', 'run petstore pets list --help'],
  ['profile use a b', 'petstore profile use takes at most 1 argument', 'run petstore profile use --help'],
  ['sandbox plan', 'petstore sandbox plan needs the argument <plan>', 'pass one of free, pro, business, enterprise'],
  [
    'pets import',
    'petstore pets import needs the argument <file>',
    'run a command such as petstore pets import pets.csv --dry-run',
  ],
  [
    'config set timeout',
    'petstore config set needs the argument <value>',
    'run a command such as petstore config set timeout 10',
  ],
  [
    'profile set x',
    'profile set needs --base-url, --output, --read-only or --no-read-only',
    'pass at least one of these flags, such as --base-url https://api.example.com/v1',
  ],
  ['help errors csv', 'errors is a topic, not a group of commands', 'run petstore help errors'],
])('%s reports "%s"', async (line, message, hint) => {
  expect(await reject(line)).toBe(`error: ${message}\n  hint: ${hint}\n`);
});

test.each([
  ['pets list --json --output csv', '--json conflicts with --output csv', 'remove --output or --json'],
  ['pets list --jq . --output csv', '--jq conflicts with --output csv', 'remove --output or --jq'],
  ['api /pets -i --jq .', '-i cannot be used with --jq: headers are not JSON', undefined],
  [
    'pets export pets.csv --jq .',
    '--jq cannot be used when exporting to a file',
    'omit the file to print the filtered pets to stdout',
  ],
])('%s reports "%s" as JSON', async (line, message, hint) => {
  const { error } = JSON.parse(await reject(line));
  expect([error.code, error.message, error.hint]).toEqual(['invalid_flag', message, hint]);
});

test.each([
  ['pest', 'petstore pets'],
  ['pets lst', 'petstore pets list'],
  ['-h pets lisst', 'petstore pets list'],
  ['profile remvoe staging', 'petstore profile remove'],
  ['help pets lst', 'petstore help pets list'],
  ['help error', 'petstore help errors'],
  ['pets show 42', 'petstore pets get'],
  ['pets create', 'petstore pets add'],
])('%s suggests %s', async (line, command) => {
  expect(await reject(line)).toMatch(/^error: unknown command "/);
  expect(await reject(line)).toContain(`\n  hint: did you mean "${command}"?\n`);
});

test.each(['unicorn', 'auth list', 'profile delete x'])('%s suggests no command', async (line) => {
  expect(await reject(line)).toMatch(/\n {2}hint: run petstore (\w+ )?--help\n$/);
});

test.each(['delete', 'pets delete 5'])('%s reports that the API cannot do that', async (line) => {
  expect(await reject(line)).toMatch(/^error: unknown command "delete": the API has no such operation\n/);
});

test('every common word suggests a command that exists, or is missing in the API', async () => {
  const paths = flattenOutline(outlineAllCommands()).map(({ words }) => words.slice(1).join(' '));
  for (const [word, { means, problem }] of petstore.describe().commonWords ?? []) {
    expect(['--version', ...paths].includes(means.join(' '))).toBe(problem === undefined);
    const hint = problem ? 'run petstore --help' : `did you mean "petstore ${means.join(' ')}"?`;
    expect(await reject(word)).toContain(`\n  hint: ${hint}\n`);
  }
});

test('an unknown word that may be an API key is not repeated', async () => {
  const key = 'sk.live.4f2a9c81e7d35b60';
  expect(await reject(`auth ${key}`)).toBe('error: unknown command\n  hint: run petstore auth --help\n');
  expect(await reject(`serve ${key}`)).toBe('error: unknown command\n  hint: run petstore serve --help\n');
  expect(await reject(`help ${key}`)).toBe('error: unknown command\n  hint: run petstore help\n');
});

test.each(['auth login --with-key=pets_SECRET', 'auth login --with-key pets_SECRET', 'auth login -xpets_SECRET'])(
  '%s does not repeat the value',
  async (line) => {
    expect(await reject(line)).not.toContain('SECRET');
  },
);
