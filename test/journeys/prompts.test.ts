import { describe, expect, test, vi } from 'vitest';
import { binary, newUser, node } from '../support/petstore.js';
import { openScreenEmulator, seeDrawing } from '../support/screen-emulator.js';
import { startServeProcess } from '../support/serve-process.js';
import { expectCursor, keys, openTerminal } from '../support/terminal.js';

const home = '\u0001';
const left = '\u001b[D';
const esc = '\u001b';

function openAdd(columns = 80) {
  const command = [node, binary, 'pets', 'add'];
  return openScreenEmulator(newUser().home, command, { columns });
}

describe('text pasted in the middle of an answer is inserted at the cursor', () => {
  test.each([[40], [60], [80], [100], [200]])('of text, with %d columns', async (columns) => {
    const screen = openAdd(columns);
    await screen.see('Name:');
    screen.type('World');
    await screen.see('World');
    screen.type(home);
    screen.type('ABCDE');
    await screen.see(/Name: ABCDEWorld$/m);
    screen.type(left + left);
    screen.type('xyz');
    await screen.see(/Name: ABCxyzDEWorld$/m);
    screen.type(keys.enter);
    await screen.see('Category id:');
    screen.type('89');
    await screen.see('89');
    screen.type(home);
    screen.type('1234567');
    await screen.see(/Category id: 123456789$/m);
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
  });

  test('whose start is on another row, which Home moves the cursor to', async () => {
    const screen = openAdd(80);
    await screen.see('Name:');
    screen.type('x'.repeat(200));
    await screen.see(/^x{48}$/m);
    screen.type(home);
    // Up two rows, to the column after the message.
    await vi.waitFor(() => expect(screen.output()).toContain('\u001b[2A\u001b[9G'), { timeout: 15_000 });
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
  });

  test('of a hidden API key', async () => {
    const { baseUrl, apiKey } = await startServeProcess();
    const args = ['auth', 'login', '-p', 'staging', '--base-url', baseUrl];
    const terminal = openTerminal(newUser().home, args);
    await terminal.see('[input is hidden]');
    terminal.type(apiKey.slice(-1));
    terminal.type(home);
    terminal.type(apiKey.slice(0, -1));
    terminal.type(keys.enter);
    expect(await terminal.exitCode).toBe(0);
    expectCursor(terminal.output());
  });
});

describe('Esc', () => {
  test('goes back to each earlier question of pets add, and cancels at the first', async () => {
    const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add']);
    await screen.see('Name:');
    screen.type(`Rex${keys.enter}`);
    await screen.see('Category id:');
    screen.type(`7${keys.enter}`);
    await screen.see('esc go back');
    screen.type(`${keys.down}${keys.enter}`);
    await screen.see('Add Rex (category 7, pending)');
    screen.type(esc);
    await screen.see(/^✓ Name: Rex\n✓ Category id: 7\n\? Status:\n {2}available\n❯ pending\n/m);
    expect((await screen.lines()).join('\n')).not.toContain('Add Rex');
    screen.type(esc);
    await screen.see(/^✓ Name: Rex\n\? Category id: 7\n\s*$/m);
    screen.type('abc');
    screen.type(keys.enter);
    await screen.see('must be a 64-bit integer');
    screen.type(esc);
    await screen.see(/^\? Name: Rex\n\s*$/);
    screen.type(`y${keys.enter}`);
    await screen.see(/^\? Category id: 7$/m);
    screen.type(keys.enter);
    await screen.see('❯ pending');
    screen.type(keys.enter);
    await screen.see('Add Rexy (category 7, pending)');
    for (const text of ['❯ pending', /^\? Category id: 7$/m, /^\? Name: Rexy$/m]) {
      screen.type(esc);
      await screen.see(text);
    }
    screen.type(esc);
    expect(await screen.exitCode).toBe(130);
    await screen.see('Canceled. Nothing was sent');
    expectCursor(screen.output());
  });

  test('erases an answer whose lines are broken between words', async () => {
    const screen = openAdd(40);
    await screen.see('Name:');
    screen.type(`Sir Barkington of the Northern Hills, the third${keys.enter}`);
    await screen.see(/^✓ Name: Sir Barkington of the Northern\nHills, the third\n\? Category id:$/m);
    screen.type(esc);
    await screen.see(/^\? Name: Sir Barkington of the Northern H\nills, the third\n\s*$/);
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
  });

  test('goes back to the choice of no status', async () => {
    const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add', '--name', 'Rex']);
    await screen.see('Category id:');
    screen.type(`7${keys.enter}`);
    await screen.see('❯ available');
    screen.type(keys.down.repeat(3) + keys.enter);
    await screen.see('Add Rex (category 7, no status)');
    screen.type(esc);
    await screen.see('❯ none');
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
  });

  test.each([
    ['a list', ['profile', 'use'], 'cancel'],
    ['a confirmation', ['sandbox', 'reset'], 'Replace all 72 pets'],
    ['a hidden input', ['auth', 'login', '-p', 'staging', '--base-url', 'http://localhost:1/v1'], 'is hidden'],
  ])('cancels %s', async (_, args, text) => {
    const terminal = openTerminal(newUser().home, args);
    await terminal.see(text);
    terminal.type(esc);
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.output()).toContain('Canceled.');
    expectCursor(terminal.output());
  });

  test('erases an answer that takes several lines, also after a resize', async () => {
    const name = 'a name that is longer than a line of forty columns';
    const screen = openAdd(40);
    await screen.see('Name:');
    for (const columns of [40, 80]) {
      screen.type(name.slice(columns === 40 ? 0 : name.length) + keys.enter);
      await seeDrawing(screen, /Category id:/);
      screen.resize(columns, 24);
      screen.type(esc);
      await screen.see(/^\? Name: a name that [^✓]*$/);
    }
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
  });

  test.each([
    ['Esc', esc],
    ['Ctrl-C', keys.interrupt],
  ])('or %s erases a list', async (_, key) => {
    const screen = openScreenEmulator(newUser().home, [node, binary, 'profile', 'use']);
    await screen.see('❯ sandbox');
    screen.type(keys.down);
    await screen.see(/^ {2}sandbox/m);
    screen.type(key);
    expect(await screen.exitCode).toBe(130);
    await screen.see('Canceled.');
    expect((await screen.lines()).join('\n')).not.toMatch(/❯|staging|navigate/);
  });

  test('keeps the earlier answers on the screen if the list fills it', async () => {
    const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add'], { rows: 9 });
    await screen.see('Name:');
    screen.type(`Rex${keys.enter}`);
    await screen.see('Category id:');
    screen.type(`7${keys.enter}`);
    await screen.see('none');
    screen.type(esc);
    await screen.see(/^✓ Name: Rex\n\? Category id: 7\n\s*$/);
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
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

test.each([[48], [60]])('prompts break lines between words in %d columns', async (columns) => {
  const args = ['auth', 'login', '-p', 'production'];
  const screen = openScreenEmulator(newUser().home, [node, binary, ...args], { columns });
  await screen.see('https://api.example.com/v1:');
  screen.type(`localhost:4010${keys.enter}`);
  await screen.see('http://localhost:4010/v1');
  const text = (await screen.lines()).join('\n');
  expect(text.match(/\S+/g)?.join(' ')).toBe(
    '? Base URL of production, such as https://api.example.com/v1: localhost:4010 ' +
      '> the base URL must be an absolute http or https URL; use http://localhost:4010/v1',
  );
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('the prompt for a base URL does not advise the login that it belongs to', async () => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'auth', 'login', '-p', 'production'], {
    columns: 100,
  });
  await screen.see('https://api.example.com/v1:');
  screen.type(`http://user:pw@127.0.0.1/v1${keys.enter}`);
  await screen.see(/must not contain a user name or password; remove the user name and password\s*$/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
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
  await screen.see(/\(category 7, pending\) to sandbox\? \(Y\/n\)$/m);
  screen.type(keys.enter);
  await screen.see(/^CATEGORY {2}7\nSTATUS {4}pending$/m);
  expect(await screen.exitCode).toBe(0);
});

test('a confirmation keeps its choices on one line in 40 columns', async () => {
  const name = 'A name that fills the first line dogs1';
  const args = ['pets', 'add', '--name', name, '--status', 'sold'];
  const screen = openScreenEmulator(newUser().home, [node, binary, ...args], { columns: 40 });
  await screen.see('Category id:');
  screen.type(`7${keys.enter}`);
  await screen.see(/ sandbox\? \(Y\/n\)$/m);
  screen.type(esc);
  await screen.see(/^\? Category id: 7$/m);
  screen.type(esc);
  expect(await screen.exitCode).toBe(130);
});

test('auth login creates a profile and asks again for a rejected API key', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const screen = openScreenEmulator(user.home, [node, binary, 'auth', 'login']);
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
  await screen.see(`http://${host}/v1`);
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
  const { stdout } = await user.run(['profile', 'list', '--json']);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'acme', current: true, baseUrl }));
});

test('auth login asks for the base URL of the new profile in --profile', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const terminal = openTerminal(user.home, ['auth', 'login', '-p', 'acme']);
  await terminal.see('Profile acme does not exist yet. The login creates it.');
  await terminal.see('Base URL of acme');
  terminal.type(`${baseUrl}${keys.enter}`);
  await terminal.see('[input is hidden]');
  terminal.type(`${apiKey}${keys.enter}`);
  await terminal.see('Logged in to acme');
  expect(await terminal.exitCode).toBe(0);
  expect((await user.run(['auth', 'login', '-p', 'acme-2'])).stderr).toContain('unknown profile "acme-2"');
});

test('the name of the profile, entered as an API key, is not redacted afterwards', async () => {
  const { baseUrl, apiKey } = await startServeProcess();
  const terminal = openTerminal(newUser().home, ['auth', 'login', '-p', 'staging', '--base-url', baseUrl]);
  for (const [text, answer] of [
    ['[input is hidden]', 'staging'],
    ['2 attempts left', apiKey],
  ] as const) {
    await terminal.see(text);
    await terminal.see(/input is hidden\](?![\s\S]*attempts left)/);
    terminal.type(`${answer}${keys.enter}`);
  }
  await terminal.see('Logged in to staging');
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).not.toContain('redacted');
});

test('auth login rejects an invalid --base-url before the first question', async () => {
  const terminal = openTerminal(newUser().home, ['auth', 'login', '--base-url', 'localhost:4010/v1']);
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain('use http://localhost:4010/v1');
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
  expect(terminal.output()).not.toMatch(/✓|requests left/);
  expect((await user.run(['profile', 'list'])).stdout).not.toContain('acme');
});

test('auth login asks for the base URL again if the service cannot be reached, and keeps the other answers', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const screen = openScreenEmulator(user.home, [node, binary, 'auth', 'login', '-p', 'acme']);
  await screen.see('Base URL of acme');
  screen.type(`http://127.0.0.1:1/v1${keys.enter}`);
  await screen.see('API key of acme for http://127.0.0.1:1:');
  screen.type(`${apiKey}${keys.enter}`);
  await screen.see(/^✗ .*127\.0\.0\.1:1.*\n(.*\n)?Enter the base URL again \(2 attempts left\)\.$/m);
  await screen.see(/http:\/\/127\.0\.0\.1:1\/v1\n\s*$/);
  // The origin is the same: the API key is not asked for.
  screen.type(`/x${keys.enter}`);
  await screen.see('last attempt');
  await screen.see(/http:\/\/127\.0\.0\.1:1\/v1\/x\n\s*$/);
  screen.type(`\u0015${baseUrl}${keys.enter}`);
  await screen.see(`API key of acme for ${new URL(baseUrl).origin}:`);
  // The base URLs have used up no attempt for the API key.
  screen.type(`pets_wrong${keys.enter}`);
  await screen.see('Enter the API key again (2 attempts left).');
  screen.type(`${apiKey}${keys.enter}`);
  await screen.see('✓ Logged in to acme');
  expect(await screen.exitCode).toBe(0);
  const { stdout } = await user.run(['profile', 'list', '--json']);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'acme', current: true, baseUrl }));
});

test('Esc erases the base URL if --quiet hides the warning about it', async () => {
  const user = newUser();
  const screen = openScreenEmulator(user.home, [node, binary, 'auth', 'login', '-p', 'acme', '-q'], { columns: 120 });
  await screen.see('Base URL of acme');
  screen.type(`https://pets.example.com${keys.enter}`);
  await screen.see('API key of acme');
  screen.type(esc);
  await screen.see(/^\? Base URL of acme[^\n]*\s*$/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('Esc erases the base URL that was entered after a failed attempt', async () => {
  const user = newUser();
  const screen = openScreenEmulator(user.home, [node, binary, 'auth', 'login', '-p', 'acme'], { columns: 120 });
  await screen.see('Base URL of acme');
  screen.type(`http://127.0.0.1:1/v1${keys.enter}`);
  await screen.see('API key of acme for http://127.0.0.1:1:');
  screen.type(`pets_0123456789${keys.enter}`);
  await screen.see(/\(2 attempts left\)\.\n\? Base URL of acme/);
  screen.type(`\u0015https://pets.example.com/v1${keys.enter}`);
  await screen.see('API key of acme for https://pets.example.com:');
  screen.type(esc);
  await screen.see(/\(2 attempts left\)\.\n\? Base URL of acme[^\n]*\s*$/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('auth login warns about the base URL before the API key, and asks for it again after a 404', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const { origin } = new URL(baseUrl);
  const screen = openScreenEmulator(user.home, [node, binary, 'auth', 'login', '-p', 'acme'], { columns: 120 });
  await screen.see('Base URL of acme');
  screen.type(`${origin}${keys.enter}`);
  await screen.see(/^! the base URL does not end in a version segment such as \/v1\n\? API key of acme/m);
  // Going back keeps the warning.
  screen.type(esc);
  await screen.see(/^! the base URL does not end in .*\n\? Base URL of acme.*: \S+$/m);
  screen.type(keys.enter);
  await screen.see(`API key of acme for ${origin}:`);
  screen.type(`${apiKey}${keys.enter}`);
  await screen.see('Enter the base URL again, including a version segment such as /v1 (2 attempts left).');
  // The origin is the same: the API key is not asked for.
  screen.type(`/v1${keys.enter}`);
  await screen.see('✓ Logged in to acme');
  expect(await screen.exitCode).toBe(0);
  expect(screen.output().match(/the base URL does not end/g)).toHaveLength(2);
  const { stdout } = await user.run(['profile', 'list', '--json']);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'acme', current: true, baseUrl }));
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
  expect(terminal.output().includes('✓')).toBe(code === 0);
  expect((await user.run(['profile', 'list'])).stdout.includes('acme')).toBe(code !== 0);
});

test('profile remove sandbox says that it does not delete pets', async () => {
  const terminal = openTerminal(newUser().home, ['profile', 'remove', 'sandbox']);
  await terminal.see('Reset the settings of profile sandbox? This does not delete pets.');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test('keys without a function insert nothing into an answer or a hidden key', async () => {
  const { baseUrl, apiKey } = await startServeProcess();
  const unused = '\t\u001c\u001d';
  const add = openAdd();
  await add.see('Name:');
  add.type(`Re${unused}x`);
  await add.see(/Name: Rex$/m);
  add.type(keys.interrupt);
  expect(await add.exitCode).toBe(130);
  const login = openTerminal(newUser().home, ['auth', 'login', '-p', 'staging', '--base-url', baseUrl]);
  await login.see('[input is hidden]');
  login.type(`${unused}${apiKey}${keys.enter}`);
  expect(await login.exitCode).toBe(0);
});

test('Tab changes the answer to a confirmation, and a pasted tab is inserted', async () => {
  const screen = openAdd();
  await screen.see('Name:');
  screen.type('\u001b[200~Re\tx\u001b[201~');
  await screen.see(/Name: Re\\u0009x$/m);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
  const user = newUser();
  await user.run(['profile', 'set', 'acme', '--base-url', 'https://acme.example/v1']);
  const confirmation = openScreenEmulator(user.home, [node, binary, 'profile', 'remove', 'acme']);
  await confirmation.see(/\([yY]\/[nN]\)/);
  confirmation.type('\t');
  await confirmation.see(/\([yY]\/[nN]\) (Yes|No|yes|no)$/m);
  confirmation.type(keys.interrupt);
  expect(await confirmation.exitCode).toBe(130);
});
