import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { expectCursor, keys, openProgram, openTerminal } from '../support/terminal.js';

test('pets add prompts for missing fields and adds the pet', async () => {
  const user = newUser();
  const terminal = openTerminal(user.home, ['pets', 'add']);
  await terminal.see('Name:');
  terminal.type(`Rex${keys.enter}`);
  await terminal.see('Category id:');
  terminal.type(`abc${keys.enter}`);
  await terminal.see('must be a 64-bit integer');
  terminal.type(`\u0008\u0008\u00087${keys.enter}`);
  await terminal.see('Status:');
  terminal.type(keys.enter);
  await terminal.see('Add Rex (category 7, available) to sandbox?');
  terminal.type(`y${keys.enter}`);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toMatch(/ID.*73/);
  const { stdout } = await user.run(['pets', 'get', '73', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Rex', categoryId: 7, status: 'available' });
});

test.each([
  ['Ctrl-C', keys.interrupt],
  ['Ctrl-C twice', keys.interrupt.repeat(2)],
  ['Ctrl-D', keys.endOfInput],
])('%s at a prompt restores the terminal and sends nothing', async (_, key) => {
  const user = newUser();
  const { env, requests } = await startCannedServer({});
  const terminal = openTerminal(user.home, ['pets', 'add'], { env });
  await terminal.see('Name:');
  terminal.type(key);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output().match(/Canceled. Nothing was sent/g)).toHaveLength(1);
  expect(terminal.output()).not.toMatch(/ExitPromptError|at .*\.cjs/);
  expectCursor(terminal.output());
  expect(requests).toHaveLength(0);
});

test('declining the confirmation sends nothing', async () => {
  const user = newUser();
  const { env, requests } = await startCannedServer({});
  const terminal = openTerminal(user.home, ['pets', 'add', '--name', 'Rex', '--status', 'sold'], {
    env,
  });
  await terminal.see('Category id:');
  terminal.type(`1${keys.enter}`);
  await terminal.see('Add Rex (category 1, sold) to 127.0.0.1');
  terminal.type(`n${keys.enter}`);
  expect(await terminal.exitCode).toBe(130);
  expect(requests).toHaveLength(0);
});

test('auth login prompts for profile, base URL and key without echoing the key', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const terminal = openTerminal(user.home, ['auth', 'login']);
  await terminal.see('Log in to which profile?');
  terminal.type(keys.enter);
  await terminal.see('Base URL of staging, such as https://api.example.com/v1:');
  terminal.type(`${baseUrl}${keys.enter}`);
  await terminal.see('API key of staging');
  terminal.type(`${apiKey}${keys.enter}`);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toMatch(/✓\S* Logged in to staging/);
  expect(terminal.output()).not.toContain(apiKey);
  const { stdout } = await user.run(['pets', 'list', '--limit', '1', '--no-header']);
  expect(stdout).toContain('Ada');
});

test('profile use without a name opens a list that marks the current profile', async () => {
  const user = newUser();
  const terminal = openTerminal(user.home, ['profile', 'use']);
  await terminal.see(/sandbox.*current/);
  terminal.type(`${keys.down}${keys.enter}`);
  expect(await terminal.exitCode).toBe(0);
  expect((await user.run(['config', 'get', 'profile'])).stdout).toBe('staging\n');
});

test('a prompt works after a resize', async () => {
  const user = newUser();
  const terminal = openTerminal(user.home, ['pets', 'add']);
  await terminal.see('Name:');
  terminal.resize(30, 10);
  terminal.type(`Rex${keys.enter}`);
  await terminal.see('Category id:');
  terminal.resize(120, 40);
  terminal.type(`7${keys.enter}`);
  await terminal.see('Status:');
  terminal.type(keys.enter);
  await terminal.see('Add Rex (category 7, available)');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test.each<[string, string[], Record<string, string>, string]>([
  ['--no-input is set', ['--no-input'], {}, ''],
  ['PETSTORE_NO_INPUT is set', [], { PETSTORE_NO_INPUT: '1', CI: 'true' }, ''],
  ['CI is set', [], { CI: 'true' }, ', or set PETSTORE_NO_INPUT=0 to enable prompts'],
  ['an AI agent runs the command', [], { AI_AGENT: '1' }, ', or set PETSTORE_NO_INPUT=0 to enable prompts'],
  ['TERM is dumb', [], { TERM: 'dumb' }, ''],
  ['the output format is json', ['--json'], {}, ''],
  ['PETSTORE_OUTPUT is csv', [], { PETSTORE_OUTPUT: 'csv' }, ''],
])('prompts and the full screen are disabled, and the error names the cause: %s', async (cause, args, env, advice) => {
  const user = newUser();
  const wide = { env, columns: 200 };
  const add = openTerminal(user.home, ['pets', 'add', ...args], wide);
  expect(await add.exitCode).toBe(2);
  expect(add.output()).toContain(`prompts are disabled, because ${cause}`);
  // The end of the line, or of the text in JSON.
  expect(add.output()).toMatch(new RegExp(`pass --name <name> and --category-id <id>${advice}["\\r]`));
  const browse = openTerminal(user.home, ['pets', 'browse', ...args], wide);
  expect(await browse.exitCode).toBe(2);
  expect(browse.output()).toContain(`pets browse is disabled, because ${cause}`);
  expect(browse.output()).toMatch(new RegExp(`run petstore pets list instead${advice}["\\r]`));
});

test('a login and the full screen name the setting that disables them', async () => {
  const user = newUser();
  await user.run(['config', 'set', 'output', 'json']);
  for (const [args, message] of [
    [['auth', 'login'], 'the profile is missing; prompts are disabled, because the setting output is json'],
    [['pets', 'browse'], 'pets browse is disabled, because the setting output is json'],
  ] as const) {
    const terminal = openTerminal(user.home, args, { columns: 200 });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.output()).toContain(message);
  }
  await user.run(['config', 'unset', 'output']);
  await user.run(['profile', 'set', 'sandbox', '--output', 'csv']);
  const terminal = openTerminal(user.home, ['profile', 'use'], { columns: 200 });
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain('because the setting output of profile sandbox is csv');
});

test('PETSTORE_NO_INPUT=0 enables prompts in CI and for an AI agent', async () => {
  const env = { CI: 'true', AI_AGENT: '1', PETSTORE_NO_INPUT: '0' };
  const terminal = openTerminal(newUser().home, ['pets', 'add'], { env });
  await terminal.see('Name:');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test('Ctrl-C cancels a request without a response', async () => {
  const { env, firstRequest } = await startCannedServer({ hang: true });
  const terminal = openTerminal(newUser().home, ['pets', 'list'], { env });
  await firstRequest;
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test('a spinner appears for a slow service and is removed', async () => {
  const { env, firstRequest } = await startCannedServer({ hang: true });
  const terminal = openTerminal(newUser().home, ['pets', 'list', '--timeout', '1.5'], { env });
  await firstRequest;
  await terminal.see('Waiting for 127.0.0.1');
  expect(await terminal.exitCode).toBe(8);
  expectCursor(terminal.output());
});

test('the confirmation names production, and Enter alone sends nothing', async () => {
  const user = newUser();
  const { env, requests } = await startCannedServer({});
  const { PETSTORE_BASE_URL = '', PETSTORE_API_KEY = '' } = env;
  await user.run(['profile', 'set', 'production', '--base-url', PETSTORE_BASE_URL]);
  const args = ['pets', 'add', '--name', 'Rex', '-p', 'production'];
  const terminal = openTerminal(user.home, args, { env: { PETSTORE_API_KEY } });
  await terminal.see('Category id:');
  terminal.type(`1${keys.enter}`);
  await terminal.see('Status:');
  terminal.type(keys.enter);
  await terminal.see('to PRODUCTION?');
  terminal.type(keys.enter);
  expect(await terminal.exitCode).toBe(130);
  expect(requests).toHaveLength(0);
});

test('Enter alone does not confirm sandbox reset', async () => {
  const terminal = openTerminal(newUser().home, ['sandbox', 'reset']);
  await terminal.see('from the sandbox and add');
  terminal.type(keys.enter);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toContain('Canceled.');
});

test('standard input from a terminal ends with Ctrl-D', async () => {
  const terminal = openTerminal(newUser().home, ['api', '/pets', '--input', '-', '--jq', '.name']);
  await terminal.see('Reading standard input. Press Ctrl-D to end it.');
  terminal.type('{"name":"Rex","categoryId":1}\r\u0004');
  await terminal.see(/^Rex/m);
  expect(await terminal.exitCode).toBe(0);
});

test('a pseudo-terminal of a test has the last output of a program that has ended', async () => {
  const terminal = openProgram(temporaryDirectory(), ['sh', '-c', 'seq 20000; printf last; exit 3']);
  // While this process is busy, it reads nothing.
  const end = performance.now() + 700;
  while (performance.now() < end);
  expect(await terminal.exitCode).toBe(3);
  expect(terminal.output()).toMatch(/\n20000\r\nlast$/);
});

test('pets list keeps the terminal modes that the next program of the pipeline sets', async () => {
  const { env, firstRequest, respond } = await startCannedServer({ waits: true });
  const reader = 'read -r _ </dev/tty; stty -icanon </dev/tty; echo changed; cat >/dev/null; stty -a </dev/tty';
  const script = `"${node}" "${binary}" pets list --json | { ${reader}; }`;
  const terminal = openProgram(newUser().home, ['sh', '-c', script], { env });
  await firstRequest;
  terminal.type(keys.enter);
  await terminal.see('changed');
  respond();
  await terminal.see('isig');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toContain(' -icanon');
});
