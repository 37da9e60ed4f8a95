import { expect, test } from 'vitest';
import { toSafeText } from '../../src/format/safe-text.js';
import { startCannedServer } from '../support/canned-server.js';
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

test('pets get without an id opens a searchable list', async () => {
  const user = newUser();
  const terminal = openTerminal(user.home, ['pets', 'get']);
  await terminal.see('Which pet?');
  terminal.type('zoe');
  await terminal.see('72 Zoe');
  terminal.type(keys.enter);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toMatch(/NAME.*Zoe/);
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
  const terminal = openTerminal(user.home, ['pets', 'add', '--dry-run']);
  await terminal.see('Name:');
  terminal.resize(30, 10);
  terminal.type(`Rex${keys.enter}`);
  await terminal.see('Category id:');
  terminal.resize(120, 40);
  terminal.type(`7${keys.enter}`);
  await terminal.see('Status:');
  terminal.type(keys.enter);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toContain('Nothing was sent (--dry-run).');
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

test('a login, a picker and the full screen name the setting that disables them', async () => {
  const user = newUser();
  await user.run(['config', 'set', 'output', 'json']);
  for (const [args, message] of [
    [['auth', 'login'], 'the profile is missing; prompts are disabled, because the setting output is json'],
    [['pets', 'get'], 'the id of the pet is missing; prompts are disabled, because the setting output is json'],
    [['pets', 'browse'], 'pets browse is disabled, because the setting output is json'],
  ] as const) {
    const terminal = openTerminal(user.home, args, { columns: 200 });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.output()).toContain(message);
  }
  await user.run(['config', 'unset', 'output']);
  await user.run(['profile', 'set', 'sandbox', '--output', 'csv']);
  const terminal = openTerminal(user.home, ['pets', 'get'], { columns: 200 });
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain('because the setting output of profile sandbox is csv');
});

test('PETSTORE_NO_INPUT=0 enables prompts in CI and for an AI agent', async () => {
  const env = { CI: 'true', AI_AGENT: '1', PETSTORE_NO_INPUT: '0' };
  const terminal = openTerminal(newUser().home, ['pets', 'add', '--dry-run'], { env });
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
  await terminal.see('Replace all 72 pets in the sandbox with the sample pets?');
  terminal.type(keys.enter);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toContain('Canceled.');
});

test.each([
  ['marked as pasted', `\u001b[200~${'x'.repeat(5_000)}\u001b[201~`, 'must not be blank'],
  // The maximum that a terminal delivers at once.
  ['not marked', 'x'.repeat(4_000), 'Nothing was sent (--dry-run)'],
])('a prompt refuses text of more than 2,048 characters, %s, and stays open', async (_, text, result) => {
  const terminal = openTerminal(newUser().home, ['pets', 'add', '--category-id', '7', '--status', 'sold', '--dry-run']);
  await terminal.see('Name:');
  terminal.type(text);
  await terminal.see('> the text must not exceed 2,048 characters');
  terminal.type(keys.enter);
  await terminal.see(result);
  terminal.type(keys.interrupt);
  await terminal.exitCode;
});

test('a prompt continues after Ctrl-Z without a shell', async () => {
  const terminal = openTerminal(temporaryDirectory(), ['pets', 'add']);
  await terminal.see('Name:');
  terminal.type('Re');
  await terminal.see('Re');
  terminal.type('\u001a');
  // Without a shell that could continue the program, the system does not stop it.
  await terminal.see(/Name:.*Re/);
  terminal.type(`x${keys.enter}`);
  await terminal.see('Category id');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test.each([
  ['redrawn', {}],
  ['for a screen reader', { PETSTORE_ACCESSIBLE: '1' }],
])('the list prompt of pets get, %s, finds pets on every page', async (_, accessible) => {
  const pets = Array.from({ length: 100 }, (__, id) => ({ id, name: `Ada ${id}`, categoryId: 1 }));
  const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '57', 'x-ratelimit-reset': '4000000000' };
  const link = '</v1/pets?limit=100&cursor=x>; rel="next"';
  const { env, requests } = await startCannedServer(
    { body: JSON.stringify(pets), headers: { ...headers, link } },
    { body: '[{"id":1999,"name":"Quinn","categoryId":1}]', headers },
  );
  const terminal = openTerminal(newUser().home, ['pets', 'get'], { env: { ...env, ...accessible }, columns: 100 });
  await terminal.see('Which pet?');
  await terminal.see(/to filter|Type part/);
  terminal.type('1999');
  if ('PETSTORE_ACCESSIBLE' in accessible) {
    terminal.type(keys.enter);
    await terminal.see('1) 1999 Quinn');
    terminal.type('1');
  } else {
    await terminal.see('1999 Quinn');
    await terminal.see('1 match in 101 pets');
  }
  terminal.type(keys.enter);
  await terminal.see(/(?:name:|NAME).*Quinn/);
  expect(await terminal.exitCode).toBe(0);
  expect(requests).toHaveLength(2);
});

test('pets get without an id suggests to add a pet if there is none', async () => {
  const { env } = await startCannedServer({ body: '[]' });
  const terminal = openTerminal(newUser().home, ['pets', 'get'], { env });
  await terminal.see('the service has no pets');
  await terminal.see('run petstore pets add to add one');
  expect(await terminal.exitCode).toBe(4);
});

test('standard input from a terminal ends with Ctrl-D', async () => {
  const terminal = openTerminal(newUser().home, ['api', '/pets', '--input', '-', '--jq', '.name']);
  await terminal.see('Reading standard input. Press Ctrl-D to end it.');
  terminal.type('{"name":"Rex","categoryId":1}\r\u0004');
  await terminal.see(/^Rex/m);
  expect(await terminal.exitCode).toBe(0);
});

test('Ctrl-C cancels standard input from a terminal', async () => {
  const terminal = openTerminal(newUser().home, ['pets', 'add', '--from', '-']);
  await terminal.see('Reading standard input.');
  terminal.type(`{"name":${keys.interrupt}`);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toMatch(/Canceled\.\r\n$/);
});

test.each([
  ['within half of the remaining quota', [], /300 matches in the first 300 pets: half of .* is used; retry in \d+m/],
  ['and waits to leave half of the quota', ['--max-wait', '4000'], /300 pets so far\. Waiting \d+m.* to leave half of/],
])('the list prompt of pets get loads every page, %s', async (_, flags, shown) => {
  const reset = String(Math.floor(Date.now() / 1000) + 3_000);
  const responses = [4, 3, 2, 1].map((remaining, page) => ({
    body: JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id: page * 100 + id, name: `Ada ${id}` }))),
    headers: {
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': reset,
      link: `</v1/pets?limit=100&cursor=${page}>; rel="next"`,
    },
  }));
  const { env, requests } = await startCannedServer(...responses);
  const terminal = openTerminal(newUser().home, ['pets', 'get', ...flags], { env, columns: 120 });
  await terminal.see('the first 100 pets');
  terminal.type('ada');
  await terminal.see(shown);
  expect(requests).toHaveLength(3);
  terminal.type('\u001b');
  expect(await terminal.exitCode).toBe(130);
});

test('the list prompt of pets get escapes names on a terminal', async () => {
  const names = ['\u001b[2JRex', '\u009b2JAda', 'Zoe\u202e\u200b', 'Max\r\n\u001b]52;c;eA==\u0007'];
  const pets = names.map((name, id) => ({ id, name, categoryId: 1, status: `\u001bc${id}` }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const terminal = openTerminal(newUser().home, ['pets', 'get'], { env, columns: 120 });
  await terminal.see('Which pet?');
  await terminal.see('Zoe\\u202e\\u200b');
  terminal.type(keys.enter);
  expect(await terminal.exitCode).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escape sequences
  expect(terminal.output()).not.toMatch(/\u001b(?:\[2J|\]|c)|[\u009b\u202e\u200b\u0007]/);
  for (const name of names) expect(terminal.output()).toContain(toSafeText(name));
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
