import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import { startCannedServer } from '../support/canned-server.js';
import { openInteractiveShell } from '../support/interactive-shell.js';
import { keys } from '../support/terminal.js';

const apiKey = 'pets_canary_0123456789';
const suspend = '\u001a';

/** Opens a shell in which the service of a login has received an API key, and does not respond. */
async function openSlowLogin(env: Readonly<Record<string, string>>, status = 401) {
  const server = await startCannedServer({ waits: true, status }, { hang: true });
  const shell = await openInteractiveShell(env);
  const showModes = async (name: string) => {
    shell.run(`stty -a | tr " " "\\n" | grep -xE -- "-?(icanon|echo)" | xargs echo ${name}`);
    await shell.see(`${name} icanon echo`);
  };
  /** Resolves once the terminal echoes nothing. */
  const waitForHiddenTyping = () =>
    vi.waitFor(async () => expect((await execa('stty', ['-aF', shell.tty])).stdout).toMatch(/-echo\b/), {
      timeout: 15_000,
    });
  shell.run(`petstore auth login -p acme --base-url ${server.origin}/v1`);
  await shell.see('is hidden');
  shell.type(`${apiKey}${keys.enter}`);
  await server.firstRequest;
  return { ...shell, ...server, showModes, waitForHiddenTyping };
}

const modes: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['with redraws', {}],
  ['in screen-reader mode', { PETSTORE_ACCESSIBLE: '1' }],
];

test.each(modes)('an API key that is typed again during a login is not shown, %s', async (_, env) => {
  const shell = await openSlowLogin(env);
  await shell.waitForHiddenTyping();
  shell.type(`${apiKey}${keys.enter}`);
  await setTimeout(200);
  shell.respond();
  // The typed text answers no prompt.
  await shell.see('Enter the API key again (2 attempts left).');
  await shell.see(/API key again(.|\n)*is hidden/);
  expect(shell.requests).toHaveLength(1);
  shell.type(`${apiKey}${keys.enter}`);
  await vi.waitFor(() => expect(shell.requests).toHaveLength(2), { timeout: 15_000 });
  shell.type(apiKey);
  await setTimeout(200);
  shell.type(keys.interrupt);
  await shell.see(/Canceled\.(.|\n)*ready>/);
  shell.run('echo code $?');
  await shell.see('code 130');
  await shell.showModes('modes');
  expect(shell.output()).not.toContain('canary');
});

test.each(modes)(
  'Ctrl-Z shows what is typed to the shell during a login, and fg hides it again, %s',
  async (_, env) => {
    const shell = await openSlowLogin(env);
    shell.type(suspend);
    await shell.see(/Stopped(.|\n)*ready>/);
    await shell.showModes('stopped');
    shell.run('clear; fg');
    await shell.see(/^petstore auth login/m);
    await shell.waitForHiddenTyping();
    shell.type(`${apiKey}${keys.enter}`);
    await setTimeout(200);
    shell.type(keys.interrupt);
    await shell.see(/Canceled\.(.|\n)*ready>/);
    await shell.showModes('ended');
    expect(shell.output()).not.toContain('canary');
  },
);

test('a login that succeeds restores the terminal', async () => {
  const shell = await openSlowLogin({}, 200);
  shell.respond();
  await shell.see(/Logged in to acme(.|\n)*ready>/);
  await shell.showModes('modes');
});

test('a login that succeeds in the background leaves the terminal modes to the shell', async () => {
  const shell = await openSlowLogin({}, 200);
  shell.type(suspend);
  await shell.see(/Stopped(.|\n)*ready>/);
  shell.run('bg; clear');
  await shell.see(/^\S*ready>/);
  shell.respond();
  await shell.see('Logged in to acme');
  shell.run('wait');
  await shell.showModes('modes');
});
