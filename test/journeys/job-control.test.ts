import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { csvOf } from '../support/imports.js';
import { expectCursor, keys, openInteractiveShell } from '../support/terminal.js';

const suspend = '\u001a';

type Shell = Awaited<ReturnType<typeof openInteractiveShell>>;

/** Expects that the shell has a cursor, echoes keys and reads lines. */
async function expectUsableShell(shell: Shell): Promise<void> {
  await shell.see(/Stopped(.|\n)*ready>/);
  expectCursor(shell.output());
  shell.run('stty -a | tr " " "\\n" | grep -xE "icanon|echo" | xargs echo modes');
  await shell.see('modes icanon echo');
}

test('one Ctrl-C ends a loop of the shell', async () => {
  const { env, firstRequest, requests } = await startCannedServer({ hang: true });
  const shell = await openInteractiveShell(env);
  shell.run('for name in Rex Tom Ada; do petstore pets list; echo next; done');
  await firstRequest;
  await shell.see('Waiting for 127');
  shell.type(keys.interrupt);
  await shell.see(/Canceled\.\n(.*\n)*ready>/);
  shell.run('echo code $?');
  await shell.see('code 130');
  expect(requests).toHaveLength(1);
  expect(await shell.lines()).not.toContain('next');
});

test('pets browse leaves the screen on Ctrl-Z and redraws after fg', async () => {
  const shell = await openInteractiveShell();
  shell.run('petstore pets browse');
  await shell.see('1 of 72');
  shell.type(suspend);
  await expectUsableShell(shell);
  expect(shell.isAlternate()).toBe(false);
  shell.run('fg');
  await shell.see(/^Pets \[all\](.|\n)*1 of 72/);
  expect(shell.isAlternate()).toBe(true);
  shell.type('quinn');
  await shell.see('Filter: quinn');
  shell.type(keys.interrupt);
  await shell.see('ready>');
  shell.run('echo code $?');
  await shell.see('code 130');
});

test('pets browse in the background leaves the screen to the shell until fg', async () => {
  const shell = await openInteractiveShell();
  shell.run('petstore pets browse &');
  await shell.see(/^\[1\] \d+\nready>\s*$/m);
  shell.run('while jobs | grep -q Running; do sleep 0.05; done; echo stopped');
  await shell.see(/^stopped$/m);
  expect(shell.output()).not.toContain('\u001b[?1049h');
  shell.run('fg');
  await shell.see(/^Pets \[all\](.|\n)*1 of 72/);
  shell.type(keys.interrupt);
  await shell.see(/ready>\s*$/);
});

test.each([
  ['text', 'petstore pets add', 'Name:', `Rex${keys.enter}`, 'Category id:'],
  ['a choice', 'petstore profile use', 'Switch to which profile?', keys.enter, 'Switched'],
])(
  'a prompt for %s restores the terminal on Ctrl-Z and can be answered after fg',
  async (_, command, question, answer, next) => {
    const shell = await openInteractiveShell();
    shell.run(command);
    await shell.see(question);
    shell.type(suspend);
    await expectUsableShell(shell);
    shell.run('clear; fg');
    await shell.see(command);
    shell.type(answer);
    await shell.see(next);
  },
);

test('a wait leaves a usable terminal on Ctrl-Z, and continues after fg', async () => {
  const { env } = await startCannedServer({ hang: true });
  const shell = await openInteractiveShell(env);
  shell.run('petstore pets list');
  await shell.see('Waiting for 127');
  shell.type(suspend);
  await expectUsableShell(shell);
  shell.run('clear; fg');
  await shell.see(/^petstore pets list\n.*Waiting for 127/m);
  shell.type(keys.interrupt);
  await shell.see('Canceled.');
});

test('a prompt of a job that starts in the background is drawn once after fg', async () => {
  const shell = await openInteractiveShell();
  writeFileSync(join(shell.home, 'a.csv'), csvOf(9));
  shell.run('petstore pets import ~/a.csv -q &');
  // The shell reports a stopped job before its next prompt.
  await vi.waitFor(
    async () => {
      shell.run('clear; jobs');
      await setTimeout(100);
      expect((await shell.lines()).join('\n')).toContain('Stopped');
    },
    { timeout: 30_000 },
  );
  shell.run('clear; fg');
  await shell.see(/^\? Add 9 rows to sandbox\?.*\(Y\/n\)$/m);
  shell.type(`n${keys.enter}`);
  await shell.see(/^✓ Add 9 rows to sandbox\? [^?]*No$/m);
  shell.run('stty -a | tr " " "\\n" | grep -xE "icanon|echo" | xargs echo modes');
  await shell.see('modes icanon echo');
});

test('a job that ends in the background leaves the terminal modes to the program in the foreground', async () => {
  const { env, firstRequest, respond } = await startCannedServer({ waits: true });
  const shell = await openInteractiveShell(env);
  shell.run('{ until [ -e ~/go ]; do sleep 0.05; done; petstore pets list; } &>/dev/null &');
  // While the shell reads the next line, it has disabled echo.
  await shell.see(/^\[1\] \d+\nready> $/m);
  writeFileSync(join(shell.home, 'go'), '');
  await firstRequest;
  shell.run('echo waiting; wait; stty -a | tr " " "\\n" | grep -xE "icanon|echo" | xargs echo modes');
  await shell.see(/^waiting$/m);
  respond();
  await shell.see('modes icanon echo');
});
