import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { patientClock } from '../support/clock.js';
import { startCannedServer } from '../support/http-server.js';
import { createTestCli, type TestCli } from '../support/test-cli.js';

const largeIds =
  '[{"id":9007199254740993,"name":"Ada","categoryId":1},{"id":9223372036854775807,"name":"Bo","categoryId":2},{"id":1,"name":"Cid","categoryId":3}]';
let cli: TestCli;

beforeEach(() => {
  cli = createTestCli({ clock: patientClock });
});

/** Runs a program on these pets. */
async function runJq(program: string, ...flags: readonly string[]) {
  const { env } = await startCannedServer({ body: largeIds });
  const run = await cli.run(['pets', 'list', '-q', '--jq', program, ...flags], { env });
  const error = run.stderr.startsWith('{') ? JSON.parse(run.stderr).error : undefined;
  return { ...run, error };
}

test.each([
  ['.[].name', 'Ada\nBo\nCid\n'],
  ['.[0]', '{"id":9007199254740993,"name":"Ada","categoryId":1}\n'],
  ['length', '3\n'],
  [`"${'猫'.repeat(8_000)}" | length`, '8000\n'],
  ['empty', ''],
  ['.[] | select(.categoryId > 1) | "\\(.name) \\(.id)"', 'Bo 9223372036854775807\nCid 1\n'],
  ['map(.categoryId) | add', '6\n'],
  ['.[0].name | ., .', 'Ada\nAda\n'],
  ['-1', '-1\n'],
  ['"a\\nb\\u001b"', 'a\nb\u001b\n'],
  ['{a: "\\u202e\\u001b"}', '{"a":"\\u202e\\u001b"}\n'],
])('the program %s prints the same as jq', async (program, stdout) => {
  const run = await runJq(program);
  expect(run).toMatchObject({ stdout, stderr: '', exitCode: 0 });
});

test.each([
  ['--arg', 2],
  ['input', 1],
])('the program %s fails without a result', async (program, exitCode) => {
  expect(await runJq(program)).toMatchObject({ stdout: '', exitCode });
});

describe('64-bit ids', () => {
  test.each([
    ['.[].id', '9007199254740993\n9223372036854775807\n1\n'],
    ['[.[] | {id}]', '[{"id":9007199254740993},{"id":9223372036854775807},{"id":1}]\n'],
    ['.[0].id | tostring', '9007199254740993\n'],
    ['[.[].id] | @csv', '9007199254740993,9223372036854775807,1\n'],
    ['.[] | select(.id == 9007199254740993).name', 'Ada\n'],
    ['.[] | select(.id == 9007199254740992).name', ''],
    ['.[] | select(.id > 9007199254740992).name', 'Ada\nBo\n'],
    ['max_by(.id).name', 'Bo\n'],
    ['sort_by(.id) | map(.name) | join(",")', 'Cid,Ada,Bo\n'],
    ['[.[].id] - [1]', '[9007199254740993,9223372036854775807]\n'],
    ['.[2].id + 1', '2\n'],
    ['[pow(2, 3; 1, 2)] | join(" ")', '2 3 4 9\n'],
    ['[fma(1, 2; 3, 4; 5, 6)] | join(" ")', '8 11 9 13 9 12 10 14\n'],
    ['{limit: 9223372036854775806}', '{"limit":9223372036854775806}\n'],
  ])('are exact: %s', async (program, stdout) => {
    expect(await runJq(program)).toMatchObject({ stdout, stderr: '', exitCode: 0 });
  });

  test.each([
    '.[].id + 1',
    '.[0].id * 1',
    '.[0].id / 1',
    '.[0].id % 10',
    '.[0].id | -.',
    '.[0].id += 0',
    '.[0].id |= . + 1',
    '[.[].id] | add',
    'reduce .[].id as $id (0; . + $id)',
    '.[0].id | floor',
    '.[1].id | length',
    '.[0].id | pow(.; 1)',
    '[range(.[0].id; .[0].id + 2)]',
    '[limit(2; range(.[0].id; .[1].id))]',
    '[limit(2; range(.[0].id; .[1].id; 1))]',
    '.[0].id | [limit(1; range(.; . + 2))]',
    '.[0].id | rint',
    '.[1].id | fmod(.; 10)',
    '.[1].id | remainder(.; 10)',
    '.[1].id | nearbyint | tostring',
    '.[1].id | ldexp(.; 0) | tostring',
    '.[1].id | "\\(fma(.; 1; 0))"',
    '.[1].id | fmax(.; 0) | tojson',
  ])('are rejected if jq would round them: %s', async (program) => {
    const { stdout, exitCode, error } = await runJq(program);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(error).toMatchObject({ code: 'jq_failed' });
    expect(error.message).toMatch(/^jq: cannot do exact arithmetic/);
  });
});

test.each([
  ['.[', 'jq: syntax error, unexpected end of file: .['],
  ['.\n| nope', 'jq: nope/0 is not defined: | nope'],
  ['', 'jq: Top-level program not given (try ".")'],
  ['include "x"; .', 'jq: syntax error, unexpected include'],
  ['9007199254740993 - 9007199254740992', 'the --jq program has an integer beyond 2^53 and an operator'],
  ['.[0].categoryId == -9007199254740993', 'the --jq program has an integer beyond 2^53 and an operator'],
])('an invalid program exits with 2 before any request: %j', async (program, message) => {
  const { env, requests } = await startCannedServer({ body: largeIds });
  const run = await cli.run(['pets', 'list', '--jq', program], { env });
  const { error } = JSON.parse(run.stderr);
  expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(error).toMatchObject({ code: 'invalid_flag', message: expect.stringContaining(message) });
  expect(requests).toEqual([]);
});

const nest = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

test.each([
  ['literals', nest(32), `${nest(32)}\n`],
  ['values', 'reduce range(32) as $i (1; [.])', `${nest(32)}\n`],
  ['parentheses', `${'('.repeat(4_000)}length${')'.repeat(4_000)}`, '3\n'],
])('%s may be nested deeply', async (_, program, stdout) => {
  expect(await runJq(program)).toMatchObject({ stdout, stderr: '', exitCode: 0 });
});

test.each([
  ['reduce range(33) as $i (1; [.])', 'a result of the --jq program is nested deeper than 32 levels'],
  ['reduce range(300000) as $i (1; [.]) | 1', 'jq: the program, or a value that it makes, is nested too deeply'],
])('a result that is nested too deeply is an error: %s', async (program, message) => {
  const { stdout, exitCode, error } = await runJq(program);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(error).toMatchObject({ code: 'jq_failed', message });
});

test.each([
  [32, 0, ''],
  [33, 1, 'the input of the --jq program is nested deeper than 32 levels'],
])('an input of %d levels exits with %d', async (levels, exitCode, message) => {
  const { env } = await startCannedServer({ body: nest(levels) });
  const run = await cli.run(['api', '/pets', '-q', '--jq', 'length'], { env });
  expect(run).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
});

test('a program that never ends is stopped', async () => {
  const clock = { now: systemClock.now, sleep: (ms: number) => systemClock.sleep(ms / 5) };
  const { env } = await startCannedServer({ body: '[]' });
  const { stdout, stderr, exitCode } = await createTestCli({ clock }).run(['pets', 'list', '--jq', 'def f: f; f'], {
    env,
  });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  const message = 'the --jq program timed out after 5 seconds';
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'jq_failed', message });
});

test('a message of jq is escaped', async () => {
  const { stderr } = await cli.run(['pets', 'list', '--jq', '"\u001b]0;x\u0007" | nope']);
  expect(stderr).toContain('nope/0 is not defined');
  expect(stderr).not.toContain('\u001b');
});

test.each([
  ['.[0].name.x', 'jq: Cannot index string with string "x"'],
  ['error("no")', 'jq: no'],
  ['"gone" | halt_error', 'gone'],
  ['"gone" | halt_error(3)', 'gone'],
  ['.[0], error("late")', 'jq: late'],
])('a program that fails prints no partial result: %s', async (program, message) => {
  const { stdout, exitCode, error } = await runJq(program);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(error).toMatchObject({ code: 'jq_failed', message });
});

test('a program cannot read the environment', async () => {
  const { stdout } = await runJq(
    '[$ENV, env] | tostring | test("PATH=|petstore|jq[.]js|KEY|root") , ($ENV | has("PETSTORE_API_KEY"))',
  );
  expect(stdout).toBe('false\nfalse\n');
});

test('--fields applies before --jq, and debug prints nothing', async () => {
  const run = await runJq('.[0] | debug', '--fields', 'name');
  expect(run).toMatchObject({ stdout: '{"name":"Ada"}\n', stderr: '' });
});

test('strings are escaped on a terminal', async () => {
  const run = await createTestCli({ columns: 80 }).run(['pets', 'list', '-q', '--jq', '"a\\u001b[2J\\nb"']);
  expect(run.stdout).toBe('a\\u001b[2J\nb\n');
});

test.each([
  [['pets', 'list', '-o', 'ndjson'], '--jq conflicts with --output ndjson'],
  [['pets', 'export', 'pets.csv'], '--jq cannot be used when exporting to a file'],
  [['api', '/pets', '-i'], '-i cannot be used with --jq'],
  [['help', 'exit-codes'], 'help exit-codes prints text, not json'],
])('%j cannot be combined with --jq', async (args, message) => {
  const env = { PETSTORE_PROFILE: 'staging', PETSTORE_API_KEY: 'pets_0123456789' };
  const run = await cli.run([...args, '--base-url', 'http://127.0.0.1:1/v1', '--jq', '.'], {
    env,
  });
  expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '').error.message).toContain(message);
});

test.each([
  [['pets', 'list', '--all'], 'length', '72\n'],
  [['pets', 'export'], 'length', '72\n'],
  [['pets', 'get', '1'], '.name', 'Ada\n'],
  [['pets', 'add', '--name', 'Rex', '--category-id', '9223372036854775807'], '.categoryId', '9223372036854775807\n'],
  [['orders', 'list'], '.', '[]\n'],
  [['api', '/pets?limit=2'], '.[1].id', '2\n'],
  [['api', '/pets?limit=100', '--paginate'], 'length', '72\n'],
  [['quota', '--refresh'], '.limit', '60\n'],
  [['profile', 'list'], '.[0].name', 'sandbox\n'],
  [['config', 'get', 'output'], '.value', 'json\n'],
  [['doctor'], 'map(.status) | unique | .[]', 'ok\n'],
])('--jq filters the JSON of %j', async (args, program, stdout) => {
  // --jq overrides the output format of the environment.
  const env = { PETSTORE_OUTPUT: 'yaml' };
  const run = await cli.run([...args, '-q', '--jq', program], { env });
  expect(run).toMatchObject({ stdout, stderr: '', exitCode: 0 });
});

test('an error of the service takes precedence over an error of the program', async () => {
  const { env } = await startCannedServer({
    status: 404,
    body: '{"code":"gone","message":"not here","status":404}',
  });
  const failed = await cli.run(['api', '/pets', '-q', '--jq', '.[].id | keys'], { env });
  expect({ stdout: failed.stdout, exitCode: failed.exitCode }).toEqual({ stdout: '', exitCode: 4 });
  expect(JSON.parse(failed.stderr).error.message).toBe('not here (HTTP 404)');
  const code = await cli.run(['api', '/pets', '-q', '--jq', '.code'], { env });
  expect({ stdout: code.stdout, exitCode: code.exitCode }).toEqual({
    stdout: 'gone\n',
    exitCode: 4,
  });
});

test('a body that is not JSON fails, and an empty body prints nothing', async () => {
  const { env } = await startCannedServer({ body: '<html>' }, { status: 204, body: '' });
  const html = await cli.run(['api', '/pets', '-q', '--jq', '.'], { env });
  expect({ stdout: html.stdout, exitCode: html.exitCode }).toEqual({ stdout: '', exitCode: 1 });
  const empty = await cli.run(['api', '/pets/1', '-X', 'DELETE', '-q', '--jq', '.'], { env });
  expect(empty).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
});
