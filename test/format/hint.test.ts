import { expect, test } from 'vitest';
import { type Command, Failure, type FailureDetails, sameCommand } from '../../src/failure.js';
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

const withWait: Command = { words: ['--max-wait', '42'], isAddition: true };

test.each<[string, Partial<FailureDetails>, string[], string[]]>([
  ['commands of the hint', { hint: ['run ', exportPets] }, [], ["petstore pets export 'Ann'\\''s pets.csv'"]],
  ['other commands', { hint: 'wait', next: [{ words: ['quota'] }] }, [], ['petstore quota']],
  [
    'no command twice',
    { hint: ['run ', exportPets], next: [exportPets] },
    [],
    ["petstore pets export 'Ann'\\''s pets.csv'"],
  ],
  ['no placeholder', { hint: ['run ', { words: ['profile', 'set', 'a', url] }] }, [], []],
  ['no command that a person should run', { hint: ['run ', { words: ['serve'], isShownOnly: true }] }, [], []],
  [
    'the same command',
    { next: [sameCommand] },
    ['pets', 'list', '--fields', 'id name'],
    ["petstore pets list --fields 'id name'"],
  ],
  [
    'the same command with flags',
    { next: [withWait] },
    ['api', '--', '/pets'],
    ['petstore api --max-wait 42 -- /pets'],
  ],
  ['a flag once', { next: [withWait] }, ['quota', '--max-wait=1', '-q'], ['petstore quota -q --max-wait 42']],
  ['no command that reads standard input', { next: [sameCommand] }, ['pets', 'import', '-'], []],
  ['no command that reads a field from standard input', { next: [sameCommand] }, ['api', '/pets', '--input=-'], []],
  ['no command that reads an API key', { next: [sameCommand] }, ['auth', 'login', '--with-key'], []],
  ['no request with headers', { next: [sameCommand] }, ['api', '/pets', '-H', 'X-Token: 1'], []],
  ['no request with a query', { next: [sameCommand] }, ['api', '/pets?token=1'], []],
  [
    'no request with headers after other short flags',
    { next: [sameCommand] },
    ['api', '/pets', '-iH', 'X-Token: 1'],
    [],
  ],
])('lists %s', (_, details, argv, next) => {
  const failure = new Failure('usage', { code: 'invalid_flag', message: 'x', ...details });
  expect(formatNextCommands(failure, argv)).toEqual(next);
});

test('repeats the command line after a rate limit', () => {
  const failure = new Failure('rate-limited', { code: 'rate_limited', message: 'x', retryAt: 0 });
  expect(formatNextCommands(failure, ['pets', 'list'])).toEqual(['petstore pets list']);
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
