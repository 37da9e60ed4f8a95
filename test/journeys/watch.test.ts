import { expect, test, vi } from 'vitest';
import { newUser, openPipes } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { keys, openShell, openTerminal } from '../support/terminal.js';

const watch = ['pets', 'list', '--watch', '1', '--all'];

test('--watch prints added pets on a terminal and as NDJSON', async () => {
  const user = newUser();
  const { env } = await startServeProcess();
  const terminal = openTerminal(user.home, watch, { env });
  const pipes = openPipes(user, [...watch, '-o', 'ndjson'], env);
  await terminal.see('Watching');
  await vi.waitFor(() => expect(pipes.stderr()).toContain('Watching'), { timeout: 10_000 });
  await user.run(['pets', 'add', '--name', 'Rex\u001b[2J', '--category-id', '7'], { env });
  await terminal.see(/\+\S* \S*\d\d:\d\d:\d\d\S* \S*\d+ Rex\\u001b\[2J -\S*\r\n/);
  await vi.waitFor(() => expect(pipes.stdout()).toContain('\n'), { timeout: 10_000 });
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(0);
  expect(terminal.output().replaceAll('\u001b[K', '')).toMatch(/\^C\r\S+ · [^\r\n]* requests left/);
  pipes.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await pipes.ended;
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    event: 'added',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    pet: { name: 'Rex\u001b[2J', categoryId: 7 },
  });
  expect(stderr).not.toContain('error');
});

test('--watch ends without an error once the reader of its pipe has ended', async () => {
  const user = newUser();
  const { env } = await startServeProcess();
  const script = 'petstore pets list --watch 1 --all -o ndjson | head -1; echo over';
  const shell = openShell(user.home, script, { env });
  await shell.see('Watching');
  for (const name of ['Rex', 'Tom']) {
    await user.run(['pets', 'add', '--name', name, '--category-id', '7'], { env });
    if (name === 'Rex') await shell.see('"Rex"');
  }
  await shell.see('over');
  expect(await shell.exitCode).toBe(0);
  expect(shell.output()).not.toMatch(/EPIPE|error/);
});
