import { describe, expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { binary, newUser, node } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { expectCursor, keys, openScreenEmulator, openShell, openTerminal } from '../support/terminal.js';

const esc = '\u001b';

test('pets add sends exactly what was pasted', async () => {
  const name = '👩‍👩‍👧‍👦 é 犬 नमस्ते';
  const { env, requests } = await startCannedServer({ status: 201, body: '{"id":1,"name":"Rex","categoryId":7}' });
  const args = ['pets', 'add', '--category-id', '7', '--status', 'sold', '-y'];
  const terminal = openTerminal(newUser().home, args, { env });
  await terminal.see('Name:');
  terminal.type(name + keys.enter);
  expect(await terminal.exitCode).toBe(0);
  expect(JSON.parse(requests[0]?.body ?? '{}')).toMatchObject({ name });
});

test.each([
  ['sandbox reset', 'echo', 'from the sandbox and add', {}],
  ['pets import x.csv', `printf 'name,categoryId\\nRex,1\\n' >x.csv`, 'Add 1 row to sandbox', {}],
  [
    'pets import x.csv',
    `printf 'name,categoryId\\nRex,1\\n' >x.csv`,
    'Add 1 row to sandbox',
    { PETSTORE_ACCESSIBLE: '1' },
  ],
])('keys that are typed before the confirmation of %s do not answer it', async (command, prepare, question, env) => {
  const { home } = newUser();
  const terminal = openShell(home, `${prepare}; petstore ${command}; echo code $?`, { cwd: home, env });
  terminal.type(`y${keys.enter}`);
  await terminal.see(question);
  terminal.type(`n${keys.enter}`);
  await terminal.see('code 130');
});

describe('Esc', () => {
  test('goes back to each earlier question of pets add, and cancels at the first', async () => {
    const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add']);
    await screen.see('Name:');
    screen.type(`Rex${keys.enter}`);
    await screen.see('Category id:');
    screen.type(`7${keys.enter}`);
    await screen.see('esc back');
    screen.type(keys.down);
    await screen.see('❯ pending');
    screen.type(keys.enter);
    await screen.see('Add Rex (category 7, pending)');
    screen.type(esc);
    await screen.see('❯ pending');
    expect((await screen.lines()).join('\n')).not.toContain('Add Rex');
    screen.type(esc);
    await screen.see(/^\? Category id: 7$/m);
    expect((await screen.lines()).join('\n')).not.toContain('navigate');
    screen.type('abc');
    screen.type(keys.enter);
    await screen.see('must be a 64-bit integer');
    screen.type(esc);
    await screen.see(/^\? Name: Rex$/m);
    screen.type('y');
    await screen.see(/^\? Name: Rexy$/m);
    screen.type(keys.enter);
    await screen.see(/^\? Category id: 7$/m);
    screen.type(esc);
    await screen.see(/^\? Name: Rexy$/m);
    screen.type(esc);
    expect(await screen.exitCode).toBe(130);
    await screen.see('Canceled. Nothing was sent');
    expectCursor(screen.output());
  });

  test.each([
    ['a list', ['profile', 'use'], 'navigate'],
    ['a confirmation', ['sandbox', 'reset'], 'from the sandbox and add'],
    ['a hidden input', ['auth', 'login', '-p', 'staging', '--base-url', 'http://localhost:1/v1'], 'is hidden'],
  ])('cancels %s', async (_, args, text) => {
    const terminal = openTerminal(newUser().home, args);
    await terminal.see(text);
    terminal.type(esc);
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.output()).toContain('Canceled.');
    expectCursor(terminal.output());
  });

  test('goes back in screen-reader mode, where it needs Enter', async () => {
    const env = { PETSTORE_ACCESSIBLE: '1' };
    const terminal = openTerminal(newUser().home, ['pets', 'add'], { env });
    await terminal.see('Name:');
    terminal.type(`Rex${keys.enter}`);
    await terminal.see('Category id:');
    terminal.type(esc + keys.enter);
    await terminal.see('Name: (default: Rex)');
    terminal.type(esc + keys.enter);
    expect(await terminal.exitCode).toBe(130);
  });
});

test('pets add asks again with the same answers after the service rejects the pet', async () => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add', '--category-id', '7']);
  await screen.see(/Name:$/m);
  screen.type('x'.repeat(201));
  await screen.see(/x{49}$/m);
  screen.type(keys.enter);
  await screen.see('❯ available');
  screen.type(keys.down + keys.enter);
  await screen.see('(category 7, pending)');
  screen.type(keys.enter);
  await screen.see('✗ the service rejected the pet: name must not exceed 200 characters (HTTP 400)');
  await screen.see(/\? Name: x+\nx+\nx{49}$/m);
  screen.type('\u007f');
  await screen.see(/^x{48}$/m);
  screen.type(keys.enter);
  await screen.see(/\? Category id: 7$/m);
  screen.type(keys.enter);
  await screen.see('❯ pending');
  screen.type(keys.enter);
  await screen.see(/\(category 7, pending\) to sandbox\?\s+\(Y\/n\)$/m);
  screen.type(keys.enter);
  await screen.see(/^CATEGORY {2}7\nSTATUS {4}pending$/m);
  expect(await screen.exitCode).toBe(0);
});

test('auth login creates a profile and asks again for a rejected API key', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const screen = openScreenEmulator(user.home, [node, binary, 'auth', 'login'], { columns: 120 });
  await screen.see('a new profile');
  screen.type(`${keys.down}${keys.down}${keys.enter}`);
  await screen.see('Name of the new profile:');
  screen.type(`staging${keys.enter}`);
  await screen.see('the profile staging exists already');
  screen.type('\u0015');
  screen.type(` acme ${keys.enter}`);
  await screen.see('Base URL of acme, such as https://api.example.com/v1:');
  const { host } = new URL(baseUrl);
  screen.type(`${host}${keys.enter}`);
  await screen.see('must be an absolute http or https URL');
  screen.type(esc);
  await screen.see(/^\? Name of the new profile: acme$/m);
  screen.type(keys.enter);
  await screen.see('Base URL of acme');
  screen.type('\u0015');
  screen.type(` ${baseUrl} ${keys.enter}`);
  await screen.see('API key of acme for http');
  screen.type(`pets_0123456789abcdefghijklmnopqrstuvwxyz${keys.enter}`);
  await screen.see('2 attempts left');
  expect(screen.output()).toContain('\u001b[1m\u001b[91m✗\u001b[39m\u001b[22m ');
  screen.type(`${apiKey}${keys.enter}`);
  await screen.see('✓ Logged in to acme');
  expect(await screen.exitCode).toBe(0);
  expect(screen.output()).not.toContain(apiKey);
  const { stdout } = await user.run(['profile', 'list', '--json']);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'acme', current: true, baseUrl }));
});

test('auth login rejects an invalid --base-url before the first question', async () => {
  const terminal = openTerminal(newUser().home, ['auth', 'login', '--base-url', 'localhost:4010/v1']);
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain('use a URL such as https://api.example.com/v1');
  expect(terminal.output()).not.toContain('which profile');
});

test('auth login exits with 3 after three rejected API keys', async () => {
  const user = newUser();
  const { baseUrl } = await startServeProcess();
  const terminal = openTerminal(user.home, ['auth', 'login', '-p', 'acme', '--base-url', baseUrl]);
  for (const text of ['API key of acme', '2 attempts left', 'last attempt']) {
    await terminal.see(text);
    await terminal.see('[input is hidden]');
    terminal.type(`pets_0123456789abcdefghijklmnopqrstuvwxyz${keys.enter}`);
  }
  expect(await terminal.exitCode).toBe(3);
  expect(terminal.output()).toContain('the service rejected the API key, and nothing was saved');
  expect(terminal.output()).not.toMatch(/Logged in|requests left/);
  expect((await user.run(['profile', 'list'])).stdout).not.toContain('acme');
});

test.each([
  ['y', 0, 'Deleted profile acme'],
  ['', 130, 'Canceled.'],
])('profile remove asks, and %j exits with %d', async (answer, code, text) => {
  const user = newUser();
  await user.run(['profile', 'set', 'acme', '--base-url', 'https://acme.example/v1']);
  const terminal = openTerminal(user.home, ['profile', 'remove', 'acme']);
  await terminal.see('Delete profile acme?');
  terminal.type(answer + keys.enter);
  expect(await terminal.exitCode).toBe(code);
  expect(terminal.output()).toContain(text);
  expect((await user.run(['profile', 'list'])).stdout.includes('acme')).toBe(code !== 0);
});
