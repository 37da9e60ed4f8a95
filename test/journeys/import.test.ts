import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { startCannedServer } from '../support/http-server.js';
import { csvOf, journalsOf, writeInput } from '../support/imports.js';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { expectCursor, keys, openTerminal } from '../support/terminal.js';

const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '100000000'];

test('pets import asks for confirmation with row count, target and what the quota allows', async () => {
  const user = newUser();
  await user.run(['pets', 'list', '--limit', '1']);
  const path = writeInput(user, 'pets.csv', csvOf(2_500));
  const terminal = openTerminal(user.home, ['pets', 'import', path], { columns: 120 });
  await terminal.see('Add 2,500 rows to sandbox? The import stops after at most 1,000 rows');
  terminal.type(`n${keys.enter}`);
  expect(await terminal.exitCode).toBe(130);
  expect(terminal.output()).toContain('Canceled.');
  expect(journalsOf(user)).toEqual([]);
});

test('pets import adds the rows if confirmed, with --yes, and only once', async () => {
  const user = newUser();
  const path = writeInput(user, 'pets.csv', csvOf(3));
  const first = openTerminal(user.home, ['pets', 'import', path], { columns: 120 });
  await first.see('Add 3 rows to sandbox?');
  first.type(`y${keys.enter}`);
  expect(await first.exitCode).toBe(0);
  expect(first.output()).toMatch(/✓\S* Added 3 pets to sandbox · /);
  const second = openTerminal(user.home, ['pets', 'import', path], { columns: 120 });
  expect(await second.exitCode).toBe(0);
  expect(second.output()).toContain('No row is left to add.');
  const other = writeInput(user, 'other.csv', csvOf(2, 'Other'));
  const confirmed = openTerminal(user.home, ['pets', 'import', other, '--yes'], { columns: 120 });
  expect(await confirmed.exitCode).toBe(0);
  expect(confirmed.output()).toMatch(/✓\S* Added 2 pets to sandbox · /);
  expect(confirmed.output()).not.toContain('Add 2 rows');
});

test('pets import of rows that are typed on the terminal says how to end them, and does not ask', async () => {
  const user = newUser();
  const terminal = openTerminal(user.home, ['pets', 'import', '-'], { columns: 120 });
  await terminal.see('Reading standard input. Press Ctrl-D to end it.');
  terminal.type(`name,categoryId\rTyped,1\r${keys.endOfInput}`);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output()).toContain('Added 1 pet to sandbox');
});

test('two terminals that import a file at once add each row once', async () => {
  const user = newUser();
  const { env } = await startServeProcess(...unlimited, '--latency', '50');
  const path = writeInput(user, 'pets.csv', csvOf(100));
  const panes = [1, 2].map(() => openTerminal(user.home, ['pets', 'import', path], { columns: 200, env }));
  await Promise.all(panes.map((pane) => pane.see('(Y/n)')));
  for (const pane of panes) pane.type(keys.enter);
  const loses = /another petstore process is running this import|No row is left to add\./;
  await Promise.any(panes.map((pane) => pane.see(loses)));
  expect((await Promise.all(panes.map((pane) => pane.exitCode))).sort()[0]).toBe(0);
  const { stdout } = await user.run(['pets', 'list', '--all', '-o', 'ndjson'], { env });
  expect(stdout.match(/"name":"Pet \d+"/g)).toHaveLength(100);
}, 60_000);

test('a terminal asks again if another one has added some of the rows meanwhile', async () => {
  const user = newUser();
  const path = writeInput(user, 'pets.csv', csvOf(100));
  const open = () => openTerminal(user.home, ['pets', 'import', path, '--max-wait', '0'], { columns: 300 });
  const [first, second] = [open(), open()];
  await Promise.all([first, second].map((pane) => pane.see('Add 100 rows to sandbox?')));
  first.type(keys.enter);
  expect(await first.exitCode).toBe(10);
  second.type(keys.enter);
  await second.see('60 of 100 rows were added before. Add the other 40 rows to sandbox?');
  second.type(keys.interrupt);
  expect(await second.exitCode).toBe(130);
});

test('Ctrl-C finishes the requests in flight, and the same command resumes', async () => {
  const user = newUser();
  const { env } = await startServeProcess(...unlimited, '--latency', '50');
  const path = writeInput(user, 'pets.csv', csvOf(2_000));
  const terminal = openTerminal(user.home, ['pets', 'import', path, '--yes'], {
    columns: 140,
    env,
  });
  await terminal.see(/[\d,]+ of 2,000 rows · .* left/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  const output = terminal.output();
  expect(output).toMatch(/Added [\d,]+ pets to \S+, [\d,]+ not sent · /);
  expect(output).toContain('Canceled.');
  expect(output).not.toContain('\r\n\r\n');
  expect(output).toContain(' to resume');
  expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'));
  const added = Number(/Added ([\d,]+)/.exec(output)?.[1]?.replace(',', ''));
  const { stdout } = await user.run(['pets', 'import', path, '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ added: 2_000 - added, skipped: added, unknown: 0 });
});

test('a resumed import shows how long the quota takes before its first response', async () => {
  const user = newUser();
  const path = writeInput(user, 'pets.csv', csvOf(200));
  expect((await user.run(['pets', 'import', path, '--max-wait', '0'])).exitCode).toBe(10);
  const terminal = openTerminal(user.home, ['pets', 'import', path, '--yes'], { columns: 140 });
  await terminal.see(/60 of 200 rows · .*\. Waiting \d+s for the quota/);
  expect(terminal.output()).toMatch(/rows · [23]m.* left\. Waiting/);
  expect(terminal.output()).not.toMatch(/rows · \d+s left/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test('a first Ctrl-C ends an import against a silent service, and a second one ends it at once', async () => {
  const user = newUser();
  const { env, firstRequest } = await startCannedServer({ hang: true });
  const args = ['pets', 'import', writeInput(user, 'pets.csv', csvOf(20)), '--yes'];
  const patient = openTerminal(user.home, args, { env });
  await firstRequest;
  await patient.see('0 of 20');
  const canceledAt = performance.now();
  patient.type(keys.interrupt);
  expect(await patient.exitCode).toBe(130);
  expect(performance.now() - canceledAt).toBeLessThan(20_000);
  expect(patient.output()).toContain('may have been added (outcome unknown)');
  expectCursor(patient.output());
  const silent = await startCannedServer({ hang: true });
  const hasty = openTerminal(user.home, args, { env: silent.env });
  await silent.firstRequest;
  await hasty.see('0 of 20');
  hasty.type(keys.interrupt);
  await hasty.see('^C');
  // The system merges a signal with an earlier one that the process has not received yet.
  await systemClock.sleep(300);
  hasty.type(keys.interrupt);
  expect(await hasty.exitCode).toBe(130);
  expect(hasty.output()).toContain('Canceled.');
  expect(hasty.output()).not.toContain('may have been added');
  expectCursor(hasty.output());
});

test('an import whose terminal is closed still waits for the responses to requests in flight', async () => {
  const user = newUser();
  const created = { status: 201, body: '{"id":9,"name":"Pet 1","categoryId":7}', waits: true } as const;
  const { env, firstRequest, respond } = await startCannedServer(created);
  const args = ['pets', 'import', writeInput(user, 'pets.csv', csvOf(1)), '--yes'];
  const terminal = openTerminal(user.home, args, { env });
  await firstRequest;
  await terminal.see('0 of 1');
  terminal.close();
  // The shell sends SIGHUP, too.
  terminal.kill('SIGHUP');
  await systemClock.sleep(300);
  respond();
  expect(await terminal.exitCode).toBe(129);
  const { exitCode, stdout } = await user.run([...args, '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ added: 0, skipped: 1, unknown: 0 });
  expect(exitCode).toBe(0);
});

test('64 parallel requests print no warning of Node.js while they wait for the first response', async () => {
  const user = newUser();
  const { env, log } = await startServeProcess(...unlimited, '--latency', '300');
  const path = writeInput(user, 'pets.csv', csvOf(100));
  const { stderr } = await user.run(['pets', 'import', path], { env });
  expect(stderr).toContain('✓ Added 100 pets');
  expect(stderr).not.toContain('Warning');
  expect(log()).not.toContain('Warning');
});

test.each(['exec 3> "$0"; echo; exec sleep 60', 'echo; exec sleep 60'])(
  'Ctrl-C ends the wait for a named pipe with the writer %j',
  async (script) => {
    const user = newUser();
    const path = join(user.home, 'fifo.csv');
    execFileSync('mkfifo', [path]);
    const terminal = openTerminal(user.home, ['pets', 'import', path]);
    const writer = spawn('/bin/sh', ['-c', script, path]);
    onTestFinished(() => void writer.kill());
    await once(writer.stdout, 'data');
    await systemClock.sleep(500);
    terminal.type(keys.interrupt);
    expect(await terminal.exitCode).toBe(130);
  },
);
