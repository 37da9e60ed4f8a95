import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { expectCursor, keys, openProgram, openTerminal } from '../support/terminal.js';

test.each([
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

test('profile use without a name opens a list that marks the current profile', async () => {
  const user = newUser();
  const terminal = openTerminal(user.home, ['profile', 'use']);
  await terminal.see(/sandbox.*current/);
  terminal.type(`${keys.down}${keys.enter}`);
  expect(await terminal.exitCode).toBe(0);
  expect((await user.run(['config', 'get', 'profile'])).stdout).toBe('staging\n');
});

test.each<[string, string[], Record<string, string>, string]>([
  ['--no-input is set', ['--no-input'], {}, ''],
  ['PETSTORE_NO_INPUT is set', [], { PETSTORE_NO_INPUT: '1', CI: 'true' }, ''],
  ['CI is set', [], { CI: 'true' }, ', or set PETSTORE_NO_INPUT=0 to enable prompts'],
  ['an AI agent runs the command', [], { AI_AGENT: '1' }, ', or set PETSTORE_NO_INPUT=0 to enable prompts'],
  ['TERM is dumb', [], { TERM: 'dumb' }, ''],
  ['the output format is json', ['--json'], {}, ''],
  ['the output format is csv (PETSTORE_OUTPUT)', [], { PETSTORE_OUTPUT: 'csv' }, ''],
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
  expect(browse.output()).toMatch(new RegExp(`run petstore pets list --profile sandbox instead${advice}["\\r]`));
});

test('a login and the full screen name the setting that disables them', async () => {
  const user = newUser();
  await user.run(['config', 'set', 'output', 'json']);
  for (const [args, message] of [
    [['auth', 'login'], 'the profile is missing; prompts are disabled, because the output format is json'],
    [['pets', 'browse'], 'pets browse is disabled, because the output format is json'],
  ] as const) {
    const terminal = openTerminal(user.home, args, { columns: 200 });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.output()).toContain(message);
  }
});

test('PETSTORE_NO_INPUT=0 enables prompts in CI and for an AI agent', async () => {
  const env = { CI: 'true', AI_AGENT: '1', PETSTORE_NO_INPUT: '0' };
  const terminal = openTerminal(newUser().home, ['pets', 'add'], { env });
  await terminal.see('Name:');
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

describe('screen-reader mode', () => {
  const env = { PETSTORE_ACCESSIBLE: '1', NO_COLOR: '1' };

  test('pets add prompts by number, line by line, without redrawing', async () => {
    const terminal = openTerminal(temporaryDirectory(), ['pets', 'add'], { env });
    await terminal.see('Name:\r\n');
    terminal.type('Rex\n');
    await terminal.see('Category id:\r\n');
    terminal.type('abc\n');
    await terminal.see('Invalid answer: the category id must be a 64-bit integer');
    terminal.type('7\n');
    await terminal.see('1) available\r\n2) pending\r\n3) sold\r\n4) none\r\n');
    terminal.type('2\n');
    await terminal.see('Add Rex (category 7, pending) to sandbox? (yes or no, default: yes)\r\n');
    terminal.type('\n');
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output()).toContain('id: 73\r\nname: Rex\r\ncategoryId: 7\r\nstatus: pending\r\n');
    expect(terminal.output()).not.toContain('\u001b');
  });

  test('auth login does not echo the key', async () => {
    const { baseUrl, apiKey } = await startServeProcess();
    const args = ['auth', 'login', '-p', 'staging', '--base-url', baseUrl];
    const terminal = openTerminal(temporaryDirectory(), args, { env });
    await terminal.see('(input is hidden)\r\n');
    terminal.type(`${apiKey}${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output()).not.toContain(apiKey);
    expect(terminal.output()).toContain('Logged in');
  });

  test('an import prints its progress in lines', async () => {
    const home = temporaryDirectory();
    const file = join(home, 'pets.ndjson');
    writeFileSync(file, '{"name":"Rex","categoryId":7}\n');
    const service = await startCannedServer({ hang: true });
    const args = ['pets', 'import', file, '-y'];
    const terminal = openTerminal(home, args, { env: { ...env, ...service.env } });
    await terminal.see(/^0 of 1 row\r\n/m);
    terminal.type(keys.interrupt);
    await terminal.exitCode;
    expect(terminal.output()).not.toContain('\u001b');
  });

  test('pets browse exits with 2 and names pets list', async () => {
    const terminal = openTerminal(temporaryDirectory(), ['pets', 'browse'], { env, columns: 120 });
    expect(await terminal.exitCode).toBe(2);
    expect(terminal.output()).toContain(
      'pets browse is disabled, because screen-reader mode is on (PETSTORE_ACCESSIBLE)',
    );
    expect(terminal.output()).toContain('petstore pets list');
  });

  test('records are lines, by variable or setting, and machine formats are unchanged', async () => {
    const user = newUser();
    await user.run(['config', 'set', 'accessible', 'true']);
    const two = ['pets', 'list', '--limit', '2', '-q'];
    expect((await user.run(two)).stdout).toBe(
      'id: 1\nname: Ada\ncategoryId: 1\nstatus: available\n\nid: 2\nname: Archie\ncategoryId: 2\nstatus: available\n',
    );
    expect((await user.run([...two, '-o', 'csv'])).stdout).toMatch(/^id,name,/);
    expect((await user.run(['quota'])).stdout).toMatch(/^profile: sandbox\nminute: 5\d of 60 requests left/);
    const off = { env: { PETSTORE_ACCESSIBLE: '0' } };
    expect((await user.run(two, off)).stdout).toMatch(/^id +name/);
  });
});
