import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { keys, openTerminal } from '../support/terminal.js';

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

test('a wait for a slow service is one line', async () => {
  const service = await startCannedServer({ hang: true });
  const args = ['pets', 'list', '--timeout', '4'];
  const terminal = openTerminal(temporaryDirectory(), args, { env: { ...env, ...service.env } });
  await terminal.see('Waiting for 127.0.0.1');
  expect(await terminal.exitCode).toBe(8);
  expect(terminal.output()).not.toContain('\u001b');
});

test('an import prints at once what it does', async () => {
  const home = temporaryDirectory();
  const file = join(home, 'pets.ndjson');
  writeFileSync(file, '{"name":"Rex","categoryId":7}\n');
  const service = await startCannedServer({ hang: true });
  const args = ['pets', 'import', file, '-y'];
  const terminal = openTerminal(home, args, { env: { ...env, ...service.env } });
  await terminal.see(/^Importing 1 row into 127\.0\.0\.1:\d+\.\r\n/m);
  terminal.type(keys.interrupt);
  await terminal.exitCode;
  expect(terminal.output()).not.toContain('\u001b');
});

test('pets browse exits with 2 and names pets list', async () => {
  const terminal = openTerminal(temporaryDirectory(), ['pets', 'browse'], { env, columns: 120 });
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.output()).toContain(
    'pets browse is disabled, because screen-reader mode is on: PETSTORE_ACCESSIBLE is set',
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
