import { expect, test } from 'vitest';
import { type Command, Failure, type Hint, retryHint } from '../../src/failure.js';
import { formatHint, formatMissingHint, formatNextCommands, toMissingJson } from '../../src/format/hint.js';

const exportPets: Command = { words: ['pets', 'export', "Ann's pets.csv"] };
const url = { placeholder: '<url>' };

test('quotes the commands of a hint', () => {
  expect(formatHint(['run ', exportPets, ' to go on'])).toBe("run petstore pets export 'Ann'\\''s pets.csv' to go on");
});

test('shows placeholders and additions as they are', () => {
  const addition: Command = { words: ['--max-wait', '42'], isAddition: true };
  const create: Command = { words: ['profile', 'set', 'a', '--base-url', url] };
  expect(formatHint(['pass ', addition, ', or run ', create])).toBe(
    'pass --max-wait 42, or run petstore profile set a --base-url <url>',
  );
});

const withWait: Command = { words: ['--max-wait', '42'], isAddition: true, isNext: true };

test.each<[string, Hint, string[], string[]]>([
  [
    'a command that resumes',
    ['run ', { ...exportPets, isNext: true }],
    [],
    ["petstore pets export 'Ann'\\''s pets.csv'"],
  ],
  ['no other command', ['run ', exportPets], [], []],
  ['the same command', retryHint, ['pets', 'list', '--fields', 'id name'], ["petstore pets list --fields 'id name'"]],
  ['the same command with flags', [withWait], ['api', '--', '/pets'], ['petstore api --max-wait 42 -- /pets']],
  ['no command that reads standard input', retryHint, ['pets', 'import', '-'], []],
  ['no command that reads a field from standard input', retryHint, ['api', '/pets', '--input=-'], []],
  ['no command that reads an API key', retryHint, ['auth', 'login', '--with-key'], []],
  ['no request with headers', retryHint, ['api', '/pets', '-H', 'X-Token: 1'], []],
  ['no request with a query', retryHint, ['api', '/pets?token=1'], []],
  ['no request with headers after other short flags', retryHint, ['api', '/pets', '-iH', 'X-Token: 1'], []],
])('lists %s', (_, hint, argv, next) => {
  const failure = new Failure('usage', { code: 'invalid_flag', message: 'x', hint });
  expect(formatNextCommands(failure, { argv, targetFlags: [] })).toEqual(next);
});

test('repeats the command line after a rate limit', () => {
  const failure = new Failure('rate-limited', { code: 'rate_limited', message: 'x', retryAt: 0 });
  expect(formatNextCommands(failure, { argv: ['pets', 'list'], targetFlags: ['--profile', 'staging'] })).toEqual([
    'petstore pets list --profile staging',
  ]);
});

test('describes missing flags and arguments', () => {
  const missing = [{ syntax: '--name <name>' }, { syntax: '--plan <plan>', choices: ['free', 'pro'] }];
  expect(formatMissingHint(missing)).toBe('pass --name <name> and --plan <plan>, one of free, pro');
  expect(toMissingJson([...missing, { syntax: 'petId' }])).toEqual([
    { flag: '--name' },
    { flag: '--plan', choices: ['free', 'pro'] },
    { argument: 'petId' },
  ]);
});
