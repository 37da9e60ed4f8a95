import { expect, test } from 'vitest';
import { checkContract } from './support/contract.js';

const timeout = '{"error":{"code":"timeout","message":"x","exitCode":8}}';

/** Command lines, their stdout and stderr, their exit codes, and the problem that the check reports. */
const violations: readonly (readonly [string, string, string, number, RegExp])[] = [
  ['pets list --json', '[{"id":"1","name":"Ada","categoryId":1}]', '', 0, /the field id is not of the type integer/],
  ['pets export', '{"id":1}\n', '', 0, /the field name is missing/],
  ['auth token --json', '{"token":"x","more":1}', '', 0, /the field more is not listed/],
  ['auth token --json', 'x', '', 0, /stdout is not JSON/],
  ['auth token --json --fields more', '{"more":1}', '', 0, /the field more is not listed/],
  ['config set timeout 1 --json', '{}', '', 0, /prints JSON but lists no fields/],
  ['pets list --json', '', 'error: x', 8, /the last line on stderr is no error object/],
  ['pets list --json', '', timeout, 7, /exitCode is 8, but the process exits with 7/],
  ['pets list --json', '', '{"error":{"code":"timeout","exitCode":8}}', 8, /the field message is missing/],
  [
    'pets add --json',
    '',
    '{"error":{"code":"missing_input","message":"x","exitCode":2,"missing":[{"flag":"--limit"}]}}',
    2,
    /help --json does not list --limit, which is missing/,
  ],
  ...['pets lst', "pets list --limit '5 6'", "pets get 'x"].map(
    (next) =>
      [
        'pets list --json',
        '',
        JSON.stringify({ error: { code: 'timeout', message: 'x', exitCode: 8, next: [`petstore ${next}`] } }),
        8,
        /which cannot be run/,
      ] as const,
  ),
];

test.each(violations)('rejects a run of %s that prints %s%s and exits with %i', async (line, ...run) => {
  const [stdout, stderr, exitCode, problem] = run;
  await expect(checkContract(line.split(' '), {}, { stdout, stderr, exitCode })).rejects.toThrow(problem);
});
