import { expect, test } from 'vitest';
import { intents } from '../../src/cli/suggest-command.js';
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
  ['pets list --sttaus sold', 'unknown flag --sttaus', 'did you mean "--status"?'],
  ['pets list --profil staging', 'unknown flag --profil', 'did you mean "--profile"?'],
  ['--jsno pets list', 'unknown flag --jsno', 'did you mean "--json"?'],
  ['pets list --age 3', 'unknown flag --age', 'run petstore pets list --help'],
  ['pets list --unicorn', 'unknown flag --unicorn', 'run petstore pets list --help'],
  ['pets list --json=x', '--json takes no value', 'pass --json without a value'],
  ['pets list --all=1', '--all takes no value', 'pass --all without a value'],
  ['--quiet=1 pets list', '--quiet takes no value', 'pass --quiet without a value'],
  ['pets list --output', '--output needs a value', 'pass one of table, json, ndjson, yaml, csv, tsv'],
  ['pets list -p', '--profile needs a value', 'pass --profile <name>'],
  ['serve keys list --port 5', 'unknown flag --port', 'run petstore serve keys list --help'],
  ['pets list dogs', 'petstore pets list takes no arguments', 'run petstore pets list --help'],
  ['pets list sold', 'petstore pets list takes no arguments', 'did you mean "--status sold"?'],
  ['pets list json', 'petstore pets list takes no arguments', 'did you mean "--output json"?'],
  ['auth login staging', 'petstore auth login takes no arguments', 'did you mean "--profile staging"?'],
  ['auth login staging -p dev', 'petstore auth login takes no arguments', 'run petstore auth login --help'],
  ['auth login --with-key key.txt', 'petstore auth login takes no arguments', 'did you mean "< key.txt"?'],
  [
    'auth login --with-key sk.live.4f2a9c81e7d35b60',
    'petstore auth login takes no arguments',
    'pipe the API key to standard input, such as --with-key < key.txt',
  ],
  ['auth login hunter', 'petstore auth login takes no arguments', 'run petstore auth login --help'],
  [
    'profile set x',
    'profile set needs --base-url, --output, --read-only or --no-read-only',
    'pass at least one of these flags, such as --base-url https://api.example.com/v1',
  ],
  ['lisst --help', 'unknown command "lisst"', 'did you mean "petstore pets list"?'],
  ['-h pets lisst', 'unknown command "lisst"', 'did you mean "petstore pets list"?'],
  ['-help', 'unknown flag -help', 'did you mean "--help"?'],
  ['-version', 'unknown flag -version', 'did you mean "--version"?'],
  ['pets list -limit 3', 'unknown flag -limit', 'did you mean "--limit"?'],
  ['pets list -status=sold', 'unknown flag -status', 'did you mean "--status"?'],
  ['pets list -lx', 'unknown flag -l', 'run petstore pets list --help'],
  ['pets add Rex', 'petstore pets add takes no arguments', 'did you mean "--name Rex"?'],
  ['pets add Zoë', 'petstore pets add takes no arguments', 'did you mean "--name Zoë"?'],
  ['pets add sk.live.4f2a9c81e7d35b60', 'petstore pets add takes no arguments', 'run petstore pets add --help'],
  ['profile use a b', 'petstore profile use takes at most 1 argument', 'run petstore profile use --help'],
  ['sandbox plan', 'petstore sandbox plan needs the argument <plan>', 'pass one of free, pro, business, enterprise'],
  [
    'pets import',
    'petstore pets import needs the argument <file>',
    'run a command such as petstore pets import pets.csv --dry-run, or pass - to read standard input',
  ],
  [
    'config set timeout',
    'petstore config set needs the argument <value>',
    'run a command such as petstore config set timeout 10',
  ],
  ['switch team', 'unknown command "switch"', 'did you mean "petstore profile use team"?'],
  ['import pets.csv', 'unknown command "import"', 'did you mean "petstore pets import pets.csv"?'],
  ['import sk.live.4f2a9c81e7d35b60', 'unknown command "import"', 'did you mean "petstore pets import"?'],
  ['help errors csv', 'errors is a topic, not a group of commands', 'run petstore help errors'],
  ['pets list --url http://x', 'unknown flag --url', 'did you mean "--base-url"?'],
  ['pets list -w', 'unknown flag -w', 'did you mean "--watch"?'],
  ['pets list -n 3', 'unknown flag -n', 'did you mean "--limit"?'],
  ['api /pets --method POST', 'unknown flag --method', 'did you mean "-X"?'],
  ['api /pets --header=a:b', 'unknown flag --header', 'did you mean "-H"?'],
  ['api /pets --field name=Rex', 'unknown flag --field', 'did you mean "-F"?'],
  ['pets list --field name', 'unknown flag --field', 'did you mean "--fields"?'],
  ['auth login --api-key x', 'unknown flag --api-key', 'run petstore auth login and enter the API key at the prompt'],
  ['pets browse --status sold', 'unknown flag --status', 'run petstore pets browse and press Tab to choose a status'],
  ['serve -p 4801', 'unknown profile "4801"', 'pass --port 4801 to choose the port'],
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
  ['pets list --json id', 'did you mean "--fields id"?'],
  ['pets get 5 --json id,name', 'did you mean "--fields id,name"?'],
  ['pets list --json sold', 'did you mean "--status sold"?'],
  ['pets list --json pets_4f2a9c', 'run petstore pets list --help'],
])('%s has the JSON hint %s', async (line, hint) => {
  expect(JSON.parse(await reject(line)).error).toMatchObject({ code: 'excess_arguments', hint });
});

test.each([
  ['pest', 'petstore pets'],
  ['pets lst', 'petstore pets list'],
  ['list', 'petstore pets list'],
  ['lits', 'petstore pets list'],
  ['login', 'petstore auth login'],
  ['logn', 'petstore auth login'],
  ['watch', 'petstore pets list --watch'],
  ['profile delete', 'petstore profile remove'],
  ['status', 'petstore auth status'],
  ['search', 'petstore pets browse'],
  ['find', 'petstore pets browse'],
  ['keys', 'petstore serve keys list'],
  ['version', 'petstore --version'],
  ['pets show', 'petstore pets get'],
  ['pets create', 'petstore pets add'],
  ['pets new', 'petstore pets add'],
  ['profile add', 'petstore profile set'],
  ['profile create', 'petstore profile set'],
  ['config show', 'petstore config list'],
  ['profile remvoe', 'petstore profile remove'],
  ['profile ls', 'petstore profile list'],
  ['auth list', 'petstore profile list'],
  ['auth ls', 'petstore profile list'],
  ['serve keys ls', 'petstore serve keys list'],
  ['auth logou', 'petstore auth logout'],
])('%s suggests %s', async (line, command) => {
  const word = line.split(' ').at(-1);
  expect(await reject(line)).toBe(`error: unknown command "${word}"\n  hint: did you mean "${command}"?\n`);
});

test.each([
  ['pets show 42', 'did you mean "petstore pets get 42"?'],
  ['pets show Rex 42', 'did you mean "petstore pets get"?'],
  ['pets view 3 --profile staging', 'did you mean "petstore pets get 3"?'],
  ['get --limit 5', 'did you mean "petstore pets get"?'],
  ['use --api-key s3cr3t', 'did you mean "petstore profile use"?'],
  ['import --rejects bad.csv', 'did you mean "petstore pets import"?'],
  ['use dev', 'did you mean "petstore profile use dev"?'],
  ['use sk.live.4f2a9c81e7d35b60', 'did you mean "petstore profile use"?'],
  ['pet list', 'did you mean "petstore pets list"?'],
  ['pet get 42', 'did you mean "petstore pets get 42"?'],
  ['serv keys list', 'did you mean "petstore serve keys list"?'],
  ['pest lst', 'did you mean "petstore pets list"?'],
  ['pest ls', 'did you mean "petstore pets list"?'],
  ['pest lsit sold', 'did you mean "petstore pets list"?'],
  ['prof remote staging', 'did you mean "petstore profile"?'],
  ['pets:list', 'did you mean "petstore pets list"?'],
  ['pets:get 5', 'did you mean "petstore pets get 5"?'],
  ['serve:keys:list', 'did you mean "petstore serve keys list"?'],
  ['serve key list', 'did you mean "petstore serve keys list"?'],
  ['serve kyes', 'did you mean "petstore serve keys"?'],
  ['pet food', 'did you mean "petstore pets"?'],
  ['profil remove staging', 'run petstore profile remove --help'],
  ['sandbox pln free', 'did you mean "petstore sandbox plan free"?'],
  ['sandbox pln huge', 'did you mean "petstore sandbox plan"?'],
  ['auth lgoin hunter', 'did you mean "petstore auth login"?'],
  ['auth logot', 'run petstore auth --help'],
  ['auth logou --profile=staging', 'run petstore auth logout --help'],
  ['serve keys revok ci --database=x.db', 'run petstore serve keys revoke --help'],
])('%s gets the hint %s', async (line, hint) => {
  expect(await reject(line)).toContain(`\n  hint: ${hint}\n`);
});

test.each([
  ['delete', 'delete'],
  ['rm', 'delete'],
  ['pets remove 5', 'delete'],
  ['pets edit 5', 'change'],
  ['pets:delete', 'delete'],
])('%s reports that the API cannot %s pets', async (line, verb) => {
  expect(await reject(line)).toBe(
    `error: petstore cannot ${verb} pets: the API has no such operation\n  hint: run petstore pets --help to list the operations\n`,
  );
});

test('an unknown word that may be an API key is not repeated', async () => {
  const key = 'sk.live.4f2a9c81e7d35b60';
  expect(await reject(`auth ${key}`)).toBe('error: unknown command\n  hint: run petstore auth --help\n');
  expect(await reject(`help ${key}`)).toBe('error: unknown command\n  hint: run petstore help\n');
});

test('every command that a word suggests exists, and no word is a command', () => {
  const paths = flattenOutline(outlineAllCommands()).map(({ words }) => words.slice(1).join(' '));
  for (const [word, command] of intents) {
    expect(paths).not.toContain(word);
    expect(['--version', ...paths]).toContain(command.replace(' --watch', ''));
  }
});

test.each([
  ['profile improve', 'remove'],
  ['sandbox test', 'reset'],
  ['serve keys invoke', 'revoke'],
  ['serve keys evoke', 'revoke'],
  ['sandbox rest', 'reset'],
  ['sandbox preset', 'reset'],
  ['profile remote', 'remove'],
  ['config sunset', 'unset'],
  ['auth logo', 'logout'],
  ['logo', 'logout'],
  ['lookout', 'logout'],
  ['pets export x --form csv', '--force'],
])('%s does not suggest the destructive or opposite %s', async (line, command) => {
  expect(await reject(line)).not.toMatch(new RegExp(`did you mean.*${command}`));
});

test.each(['auth login --with-key=pets_SECRET', 'auth login --with-key pets_SECRET', 'auth login -xpets_SECRET'])(
  '%s does not repeat the value',
  async (line) => {
    expect(await reject(line)).not.toContain('SECRET');
  },
);
