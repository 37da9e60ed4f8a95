import { describe, expect, test } from 'vitest';
import { type CompletionValues, findCompletion, formatCompletion } from '../../../src/commands/completion/complete.js';
import { flattenOutline } from '../../../src/docgen/outline.js';
import { outlineAllCommands } from '../../../src/generate.js';
import { createTestCli } from '../../support/test-cli.js';

const outline = outlineAllCommands();
const top = 'pets orders auth profile config quota api sandbox serve doctor completion help';
const values: CompletionValues = {
  profileNames: () => ['sandbox', 'staging', 'mine'],
  keyLabels: async (database = 'default') => [`key-in-${database}`],
};

/** Lines after `petstore `, and the candidates for their last word. */
const lines: readonly (readonly [line: string, expected: string])[] = [
  ['', top],
  ['p', 'pets profile'],
  ['zz', ''],
  ['zz ', ''],
  ['pets ', 'list browse add get import export'],
  ['pets zz l', ''],
  ['pets l', 'list'],
  ['-p staging pets l', 'list'],
  ['--profile=staging pets l', 'list'],
  ['pets -o json l', 'list'],
  ['--profile pets lis', ''],
  ['--profile pets pets lis', 'list'],
  ['-- pets l', 'list'],
  ['--profile ', 'sandbox staging mine'],
  ['pets list -p s', 'sandbox staging'],
  ['--profile=s', '--profile=sandbox --profile=staging'],
  ['--output=t', '--output=table --output=tsv'],
  ['pets list --output t', 'table tsv'],
  ['--json=', ''],
  ['--zz=', ''],
  ['--zz ', top],
  ['--base-url ', ''],
  ['--base-url=d', ''],
  ['pets list --li', '--limit'],
  ['pets list --limit 5 --li', ''],
  ['--json pets list --js', ''],
  ['-p staging --prof', ''],
  ['--profile=staging -', '-o -y -q -v -V -h'],
  ['serve --allow-host a --allow', '--allow-host'],
  ['pets list -- --li', ''],
  ['pets list --watch --st', '--status'],
  ['pets list --watch 5 --st', '--status'],
  ['pets list --limit ', ''],
  ['pets list --status ', 'available pending sold'],
  ['pets list --status sold --st', ''],
  ['pets list ', ''],
  ['pets get ', ''],
  ['pets import ', ':files'],
  ['pets import -- d', ':files'],
  ['pets import data.json d', ''],
  ['pets import --format json d', ':files'],
  ['pets import --format ', 'csv json ndjson'],
  ['pets import --rejects d', ':files'],
  ['profile use st', 'staging'],
  ['profile use staging ', ''],
  ['config get max', 'max-wait'],
  ['config set output n', 'ndjson'],
  ['config set color ', 'auto always never'],
  ['config set accessible ', 'true false'],
  ['config set profile m', 'mine'],
  ['config set timeout ', ''],
  ['config set zz ', ''],
  ['sandbox plan ', 'free pro business enterprise'],
  ['completion ', 'bash zsh fish powershell'],
  ['help p', 'pets profile'],
  ['help e', 'exit-codes environment errors'],
  ['help pets i', 'import'],
  ['help pets list ', ''],
  ['help __c', ''],
  ['pets list --fields ', 'id name categoryId status :no-space'],
  ['pets list --fields n', 'name :no-space'],
  ['pets list --fields=id,n', '--fields=id,name :no-space'],
  ['pets list --fields id,', 'id,name id,categoryId id,status :no-space'],
  ['pets list --fields zz', ':no-space'],
  ['sandbox status --fields p', 'path pets plan perMinute perDay :no-space'],
  ['orders list --fields ', ':no-space'],
  ['serve keys revoke ', 'key-in-default'],
  ['serve keys update ', 'key-in-default'],
  ['serve keys rotate --overlap 5s k', 'key-in-default'],
  ['serve keys revoke --database my.db k', 'key-in-my.db'],
  ['serve keys revoke --database=my.db ', 'key-in-my.db'],
  ['2> log pets l', 'list'],
  ['pets 2>&1 l', 'list'],
  ['pets list > d', ':files'],
  ['pets list >', ':files'],
];

describe('findCompletion', () => {
  test.each(lines)('completes "petstore %s" with %s', async (line, expected) => {
    const { candidates, directive } = await complete(line);
    const words = candidates.map(({ value }) => value).filter((word) => !line.endsWith(' -') || !word.startsWith('--'));
    const end = directive === 'done' ? [] : [`:${directive}`];
    expect([...words, ...end].join(' ')).toBe(expected);
  });

  test('describes commands and flags', async () => {
    const { candidates } = await complete('orders l');
    expect(candidates).toEqual([{ value: 'list', description: expect.stringMatching(/^List /) }]);
    expect((await complete('pets list --js')).candidates).toEqual([
      { value: '--json', description: 'print JSON; same as --output json' },
    ]);
  });

  test.each(flattenOutline(outline).map(({ words, flags }) => [words.slice(1).join(' '), flags] as const))(
    'completes every flag of "petstore %s"',
    async (path, flags) => {
      const { candidates } = await complete(`${path} -`);
      const names = [...flags, ...outline.flags].flatMap((flag) => flag.names);
      expect(new Set(candidates.map(({ value }) => value))).toEqual(new Set(names));
    },
  );
});

test('formatCompletion prints a line for each candidate, and the directive last', () => {
  const candidates = [{ value: 'list', description: 'List the pets.' }, { value: ':done' }];
  expect(formatCompletion({ candidates, directive: 'no-space' })).toBe('list\tList the pets.\n:done\n:no-space\n');
});

test('formatCompletion prints descriptions without the backticks of Markdown', () => {
  const candidates = [{ value: 'output', description: 'output format, like `--output`' }];
  expect(formatCompletion({ candidates, directive: 'done' })).toBe('output\toutput format, like --output\n:done\n');
});

test.each(['a\nb', 'a\tb', '\u001b[2J', '\u009b2J', 'a\u202eb', 'a\u200bb', 'a\ud800'])(
  'formatCompletion omits the unprintable candidate %j',
  (value) => {
    expect(formatCompletion({ candidates: [{ value }], directive: 'done' })).toBe(':done\n');
  },
);

function complete(line: string) {
  return findCompletion(line.trimStart().split(' '), outline, async () => values);
}

test('__complete accepts the words in base64, after a NUL each', async () => {
  const words = ['pets', 'ex'].map((word) => `\0${word}`).join('');
  const args = ['__complete', '--base64', Buffer.from(words).toString('base64')];
  expect((await createTestCli().run(args)).stdout).toContain('export');
});
