import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../../src/ports/failure.js';
import { startAnswering } from '../support/answers.js';
import { fakeClock } from '../support/clock.js';
import { newWorld } from '../support/world.js';

const interrupt = new Failure('cancelled', {
  code: 'cancelled',
  message: 'ended by SIGINT',
  signal: 'SIGINT',
});

test('the sandbox answers in this process', async () => {
  const world = newWorld({ clock: fakeClock() });
  expect(await world.run(['pets', 'list', '--limit', '2'])).toMatchSnapshot();
  expect(await world.run(['pets', 'add', '--name', 'Rex', '--category-id', '7'])).toMatchSnapshot();
  expect(await world.run(['pets', 'get', '73', '-o', 'yaml'])).toMatchSnapshot();
});

test('on a terminal the table is coloured and names are cut to its width', async () => {
  const world = newWorld({ clock: fakeClock(), columns: 44 });
  await world.run(['pets', 'add', '--name', '長い名前の犬'.repeat(5), '--category-id', '1', '-q']);
  const { stdout } = await world.run(['pets', 'list', '--all', '-q']);
  expect(stdout).toContain('\u001b[1mid\u001b[22m');
  expect(stdout).toContain('\u001b[32mavailable\u001b[39m');
  expect(stdout).toContain('長い名前の犬長い…');
});

test('on a narrow terminal every pet is a block', async () => {
  const world = newWorld({ clock: fakeClock(), columns: 30 });
  const { stdout } = await world.run(['pets', 'list', '--limit', '2', '-q', '--no-color']);
  expect(stdout).toBe(
    'id:         1\nname:       Ada\ncategoryId: 1\nstatus:     available\n\n' +
      'id:         2\nname:       Archie\ncategoryId: 2\nstatus:     available\n',
  );
});

test('the quota comes back when its window ends', async () => {
  const clock = fakeClock();
  const world = newWorld({ clock });
  const left = async () => /(\d+) of 60/.exec((await world.run(['pets', 'list'])).stderr)?.[1];
  expect([await left(), await left()]).toEqual(['59', '58']);
  clock.advance(60_000);
  expect(await left()).toBe('59');
});

test('a used up sandbox is exit 6 with the time to try again', async () => {
  const clock = fakeClock();
  const world = newWorld({ clock });
  const list = async () => {
    const run = await world.run(['pets', 'list', '--json', '--max-wait', '40']);
    return { ...run, stderr: JSON.parse(run.stderr.trimEnd().split('\n').at(-1) as string) };
  };
  const limited = {
    code: 'rate_limited',
    hint: 'petstore sandbox plan enterprise allows more; --max-wait 42 waits for it',
    exitCode: 6,
    retryAt: '2026-11-21T12:01:00.000Z',
  };
  for (let count = 0; count < 60; count += 1) await world.run(['pets', 'list', '-q']);
  clock.advance(18_000);
  const message = 'no requests are left; nothing was sent';
  expect(await list()).toEqual({
    stdout: '',
    stderr: { error: { ...limited, message } },
    exitCode: 6,
  });
  // Who does not know of it is told by the service.
  rmSync(join(world.home, '.local/state/petstore/quota'), { recursive: true });
  const said = { message: 'the request limit is exceeded', status: 429 };
  expect(await list()).toEqual({
    stdout: '',
    stderr: { error: { ...limited, ...said } },
    exitCode: 6,
  });
});

test('serve answers until it is ended, and then in order', async () => {
  const world = newWorld();
  const serving = await world.start(['serve', '--port', '0', '--database', ':memory:', '--json']);
  const { baseUrl, apiKey } = JSON.parse(serving.stdout);
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey };
  const list = await newWorld().run(['pets', 'list', '--limit', '1', '--no-header'], { env });
  expect(list.stdout).toBe('1  Ada  1  available\n');
  const ended = await serving.end(interrupt);
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toMatch(/^GET \/v1\/pets 200 \d+ ms\n$/);
});

test('serve on every interface warns', async () => {
  const serving = await newWorld().start([
    'serve',
    '--port',
    '0',
    '--host',
    '0.0.0.0',
    '--database',
    ':memory:',
    '--json',
  ]);
  const { stderr } = await serving.end(interrupt);
  expect(stderr).toContain('warning: the store can be reached by others at 0.0.0.0');
});

test('an answer that does not come ends at the deadline', async () => {
  const { env } = await startAnswering({ hang: true });
  const run = await newWorld().run(['pets', 'list', '--timeout', '0.05'], { env });
  expect(run).toMatchObject({ stdout: '', exitCode: 8 });
  expect(run.stderr).toContain('did not answer within 0.05 s');
});

test.each([
  [['pets', 'list'], 'error: ended by SIGINT\n'],
  [
    ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
    'error: ended by SIGINT; whether the pet was added is not known\n  hint: petstore pets list --all',
  ],
])('an interrupt of %j is exit 130 and tells what is known', async (args, message) => {
  const { env, reached } = await startAnswering({ hang: true });
  const running = await newWorld().start(args, { env, until: reached });
  const run = await running.end(interrupt);
  expect(run).toMatchObject({ stdout: '', exitCode: 130 });
  expect(run.stderr).toContain(message);
});

test('what the service says is escaped in words', async () => {
  const body = JSON.stringify({
    code: 'no\u001b[31m',
    message: 'a\u001b]0;x\u0007b\nc',
    status: 400,
  });
  const { env } = await startAnswering({ status: 400, body });
  const run = await newWorld({ columns: 80 }).run(['pets', 'list', '--no-color'], { env });
  expect(run.stderr).toBe('error: a\\u001b]0;x\\u0007b\\u000ac\n');
});

test('a create reads its pet from standard input', async () => {
  const world = newWorld({ clock: fakeClock() });
  const from = (input: string) =>
    world.run(['pets', 'add', '--from', '-', '--dry-run', '--json'], { input });
  expect((await from('\ufeff{"name":"Rex","categoryId":9007199254740993}')).stdout).toBe(
    '{\n  "name": "Rex",\n  "categoryId": 9007199254740993\n}\n',
  );
  expect((await from('{"name":"Rex","categoryId":1,"chip":"A1"}')).stderr).toBe(
    'left out what a new pet does not have: chip\nnothing was sent (--dry-run)\n',
  );
});

test.each([
  ['', 'standard input cannot be read: it is empty'],
  ['[]', 'standard input must hold one JSON object'],
  ['{"name":"Rex",\n "categoryId":01}', 'standard input cannot be read at line 2, column 16'],
  ['{"name":" ","categoryId":1}', '"name" in standard input must not be blank'],
  ['{"name":"Rex","categoryId":1.5}', '"categoryId" in standard input must be a 64-bit whole'],
  ['{"name":"Rex","categoryId":1,"status":"sald"}', '"status" in standard input must be one of'],
  ['{"name":"Rex","categoryId":1,"statsu":"sold"}', 'a new pet has no "statsu"'],
  ['\xff', 'standard input cannot be read: it is not UTF-8'],
])('%j is no new pet: exit 2', async (input, message) => {
  const { stderr, exitCode } = await newWorld().run(['pets', 'add', '--from', '-'], {
    input: Buffer.from(input, 'latin1'),
  });
  expect(stderr).toContain(`error: ${message}`);
  expect(exitCode).toBe(2);
});

test('a file that is missing or too long is exit 2', async () => {
  const world = newWorld();
  const missing = await world.run(['pets', 'add', '--from', '/nowhere.json']);
  expect(missing.stderr).toBe('error: /nowhere.json cannot be read: there is no such file\n');
  const path = join(world.home, 'long.json');
  writeFileSync(path, ' '.repeat(1024 * 1024 + 1));
  const long = await world.run(['pets', 'add', '--from', path]);
  expect(long.stderr).toContain('it holds more than 1048576 bytes');
  expect([missing.exitCode, long.exitCode]).toEqual([2, 2]);
});

test('a sandbox whose file is damaged is named, with what to do', async () => {
  const world = newWorld();
  const directory = join(world.home, '.local/share/petstore/sandbox');
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'store.db'),
    'this is no database, but long enough to look like one',
  );
  const run = await world.run(['pets', 'list']);
  expect(run.stderr).toContain(`error: the database ${directory}/store.db cannot be used`);
  expect(run.stderr).toContain('hint: check its permissions');
  expect(run.exitCode).toBe(1);
});

test('a ledger that cannot be written is told once, and the command goes on', async () => {
  const world = newWorld();
  mkdirSync(join(world.home, '.local/state'), { recursive: true });
  writeFileSync(join(world.home, '.local/state/petstore'), 'in the way');
  const run = await world.run(['pets', 'list', '--limit', '1', '--no-header']);
  expect(run.stdout).toBe('1  Ada  1  available\n');
  expect(run.stderr.match(/warning: the quota cannot be kept/g)).toHaveLength(1);
  expect(run.exitCode).toBe(0);
});

test('petstore alone shows its help, and help the manual page of any command', async () => {
  const world = newWorld();
  for (const words of [[], ['pets'], ['pets', 'list'], ['serve'], ['auth', 'login'], ['formats']]) {
    const help = await world.run(['help', ...words]);
    expect(help.stdout).toContain(`NAME\n  petstore${words.map((word) => `-${word}`).join('')}(`);
    expect(help).toMatchObject({ stderr: '', exitCode: 0 });
    // The names of some variables are longer than a line.
    const lines = help.stdout.split('\n').filter((line) => line.length >= 100);
    expect(lines).toEqual([]);
  }
  expect((await world.run([])).stdout).toBe((await world.run(['--help'])).stdout);
  expect((await world.run(['help', 'pets', 'lsit'])).stderr).toBe(
    'error: unknown command \'lsit\'\n  hint: did you mean "list"?\n',
  );
});
