import { expect, test } from 'vitest';
import { startCannedServer } from '../support/canned-server.js';
import { binary, newUser, node } from '../support/petstore.js';
import { openScreenEmulator } from '../support/screen-emulator.js';
import { startServeProcess } from '../support/serve-process.js';
import { keys, openShell, openTerminal } from '../support/terminal.js';

/** Returns text as a terminal sends it if the program asked it to mark pasted text (bracketed paste). */
const mark = (text: string) => `\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`;

const left = '\u001b[D';
const long = 'A name of 2,000 characters, 🐶 '.repeat(100).slice(0, 2_000);
const family = '👩‍👩‍👧‍👦 é 犬 नमस्ते';

test.each([
  ['a name', `Rex the dog${keys.enter}`, 'Rex the dog'],
  ['emoji and combining characters', family + keys.enter, family],
  ['marked text with a line break at the end', mark('Rex\r\n') + keys.enter, 'Rex'],
  ['2,000 characters', long + keys.enter, long],
])('pets add sends exactly what was pasted: %s', async (_, pasted, sent) => {
  const { env, requests } = await startCannedServer({ status: 201, body: '{"id":1,"name":"Rex","categoryId":7}' });
  const terminal = openTerminal(newUser().home, ['pets', 'add', '--category-id', '7', '--status', 'sold', '-y'], {
    env,
  });
  await terminal.see('Name:');
  terminal.type(pasted);
  expect(await terminal.exitCode).toBe(0);
  expect(JSON.parse(requests[0]?.body ?? '{}')).toMatchObject({ name: sent });
});

test('pasted lines become one line, which Enter submits', async () => {
  const { env, requests } = await startCannedServer({});
  const args = ['pets', 'add', '--category-id', '7', '--status', 'sold'];
  const screen = openScreenEmulator(newUser().home, [node, binary, ...args], { env });
  await screen.see('Name:');
  screen.type(mark('Rex\n the dog\n\ny\n'));
  await screen.see(/Name: Rex the dog y$/m);
  screen.type(keys.enter);
  await screen.see('Add Rex the dog y (category 7, sold)');
  screen.type(`n${keys.enter}`);
  expect(await screen.exitCode).toBe(130);
  await screen.see(/^\? Add Rex the dog y \(.*No$/ms);
  expect(requests).toHaveLength(0);
  expect(screen.output().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(screen.output().lastIndexOf('\u001b[?2004h'));
});

test('marked text in the middle of an answer is inserted at the cursor, also across rows', async () => {
  const args = ['pets', 'add'];
  const screen = openScreenEmulator(newUser().home, [node, binary, ...args], { columns: 40 });
  await screen.see('Name:');
  screen.type('Rex dog');
  await screen.see(/Name: Rex dog$/m);
  screen.type(left.repeat(3) + mark('the very friendly\nand quite big '));
  await screen.see(/^\? Name: Rex the very friendly and quite\nbig dog$/m);
  screen.type('old ');
  await screen.see(/^\? Name: Rex the very friendly and quite\nbig old dog$/m);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('marked text in the middle of the filter of pets browse is inserted at the cursor', async () => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'browse']);
  await screen.see('1 of 72');
  screen.type('7oe');
  await screen.see('Filter: 7oe▏');
  screen.type(left.repeat(2) + mark('2 z\n'));
  await screen.see(/Filter: 72 z▏oe(.|\n)*❯ +72 +Zoe/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('lines that arrive together answer one prompt each, but no confirmation', async () => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add']);
  await screen.see('Name:');
  screen.type(`Rex${keys.enter}x${keys.enter}`);
  await screen.see(/Name: Rex\n.*Category id: x\n> the category id must be/);
  screen.type(`\u007f7${keys.enter}p${keys.enter}y${keys.enter}`);
  await screen.see(
    /Category id: 7\n.*Status: pending\n\? Add Rex \(category 7, pending\) to sandbox\?[^yY]*\(Y\/n\)\s*$/,
  );
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('text that is typed before a prompt opens is its answer', async () => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'add']);
  screen.type('Rex');
  await screen.see(/^\? Name: Rex$/m);
  screen.type(`y${keys.enter}`);
  await screen.see(/^✓ Name: Rexy$/m);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test.each([
  ['sandbox reset', 'echo', 'Replace all 72 pets', {}],
  ['pets import', `printf 'name,categoryId\\nRex,1\\n' >x.csv`, 'Add 1 row to sandbox', {}],
  ['pets import', `printf 'name,categoryId\\nRex,1\\n' >x.csv`, 'Add 1 row to sandbox', { PETSTORE_ACCESSIBLE: '1' }],
])('keys that are typed before the confirmation of %s do not answer it', async (command, prepare, question, env) => {
  const { home } = newUser();
  const file = command === 'pets import' ? ' x.csv' : '';
  const terminal = openShell(home, `${prepare}; petstore ${command}${file}; echo code $?`, { cwd: home, env });
  terminal.type(`y${keys.enter}`);
  await terminal.see(question);
  terminal.type(`n${keys.enter}`);
  await terminal.see('code 130');
});

test('a confirmation escapes pasted text', async () => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'sandbox', 'reset']);
  await screen.see('(y/N)');
  screen.type(`\u009b31m\u202e${keys.enter}`);
  await screen.see(/^> answer y or n$/m);
  expect(screen.output()).not.toMatch(/[\u009b\u202e]/);
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
});

test('a hidden input and pets browse accept marked text', async () => {
  const user = newUser();
  const { baseUrl, apiKey } = await startServeProcess();
  const login = openTerminal(user.home, ['auth', 'login', '-p', 'staging', '--base-url', baseUrl]);
  await login.see('[input is hidden]');
  login.type(mark(`${apiKey}\n`) + keys.enter);
  expect(await login.exitCode).toBe(0);
  const browse = openScreenEmulator(user.home, [node, binary, 'pets', 'browse']);
  await browse.see('1 of 72');
  browse.type(mark('zoe\n'));
  await browse.see(/Filter: zoe▏(.|\n)*❯ +72 +Zoe/);
  browse.type(`\u0015${mark('?\u001b[31mline\tend\u001b[0m')}`);
  await browse.see('Filter: ?line end▏');
  browse.type(keys.interrupt);
  expect(await browse.exitCode).toBe(130);
});
