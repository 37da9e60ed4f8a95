import { stripVTControlCharacters } from 'node:util';
import { expect, test, vi } from 'vitest';
import { startCannedServer } from '../support/canned-server.js';
import { openInteractiveShell } from '../support/interactive-shell.js';
import { binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { openScreenEmulator } from '../support/screen-emulator.js';
import { keys, openShell } from '../support/terminal.js';

test('quota --watch redraws the quota that other commands use, and Ctrl-C ends it with 0', async () => {
  const user = newUser();
  await user.run(['pets', 'list']);
  const screen = openScreenEmulator(user.home, [node, binary, 'quota', '--watch']);
  await screen.see('59 of 60 requests left');
  await user.run(['pets', 'list']);
  await screen.see('58 of 60 requests left');
  const lines = await screen.lines();
  expect(lines.filter((line) => line.includes('requests left'))).toHaveLength(1);
  expect(lines[0]).toBe('sandbox');
  // If this erases from the first cell of the screen, tmux copies the screen to its history.
  expect(screen.output()).not.toContain('A\u001b[J');
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(0);
});

test('quota --watch leaves no debris after a resize', async () => {
  const user = newUser();
  await user.run(['pets', 'list']);
  const screen = openScreenEmulator(user.home, [node, binary, 'quota', '--watch']);
  await screen.see('59 of 60 requests left · resets');
  for (const columns of [40, 120, 30]) {
    screen.resize(columns, 24);
    const before = screen.output().length;
    await vi.waitFor(
      async () => {
        expect(screen.output().slice(before)).toContain('Updated');
        const lines = await screen.lines();
        expect(lines.filter((line) => /^sandbox|minute|Updated/.test(line))).toHaveLength(3);
      },
      { timeout: 30_000, interval: 20 },
    );
  }
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(0);
});

test.each([3, 4])('quota --watch shows its first lines in a terminal of %i rows', async (rows) => {
  const user = newUser();
  await user.run(['pets', 'list']);
  const screen = openScreenEmulator(user.home, [node, binary, 'quota', '--watch'], { rows });
  await vi.waitFor(() => expect(screen.output().split('59 of 60').length).toBeGreaterThanOrEqual(3), {
    timeout: 30_000,
  });
  const lines = await screen.lines();
  expect(lines[0]).toBe('sandbox');
  expect(lines[1]).toContain('minute');
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(0);
});

test('quota --watch leaves the lines of the shell after the terminal became lower', async () => {
  const shell = await openInteractiveShell();
  shell.run('petstore pets list -q >/dev/null; echo line one; petstore quota --watch');
  await shell.see('59 of 60 requests left');
  for (const rows of [3, 24]) {
    shell.resize(100, rows);
    const before = shell.output().length;
    const countViews = () => shell.output().slice(before).split('sandbox').length - 1;
    await vi.waitFor(() => expect(countViews()).toBeGreaterThanOrEqual(2), { timeout: 30_000 });
    // Feeds the emulator before the next resize.
    await shell.lines();
  }
  const lines = await shell.lines();
  expect(lines).toContain('line one');
  expect(lines.filter((line) => line === 'sandbox')).toHaveLength(1);
  expect(lines.join('\n')).toMatch(/sandbox\n.*59 of 60/);
  shell.type(keys.interrupt);
  await shell.see(/ready>\s*$/);
});

/** Returns a response that reports this quota of a window that resets in `seconds`. */
function report(limit: number, remaining: number, seconds: number) {
  return {
    headers: {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + seconds),
    },
  };
}

test('quota shows a bar for minute and day, and a bar of 9,936 of 10,000 is not full', async () => {
  const { env, requests } = await startCannedServer(report(60, 57, 50), report(10_000, 9_936, 40_000));
  const script = 'petstore pets list -q; petstore pets list -q; petstore quota';
  const shell = openShell(temporaryDirectory(), script, { env });
  expect(await shell.exitCode).toBe(0);
  const text = stripVTControlCharacters(shell.output());
  expect(text).toMatch(/^ {2}minute {2}█{19}░ {2}56 of 60 requests left · resets in \d+s\r$/m);
  expect(text).toMatch(/^ {2}day {5}█{19}░ {2}9,936 of 10,000 requests left · resets in 11h \d+m\r$/m);
  expect(requests).toHaveLength(2);
});

test('quota --refresh prints the quota once, and sends nothing if no request is left', async () => {
  const { env, requests } = await startCannedServer(report(60, 1, 50), report(60, 0, 50));
  const script = 'petstore quota --refresh; petstore quota --refresh; petstore quota --refresh';
  const shell = openShell(temporaryDirectory(), script, { env });
  expect(await shell.exitCode).toBe(0);
  const text = stripVTControlCharacters(shell.output());
  expect(text.match(/\d+ of 60 requests left · resets in/g)).toEqual(
    ['1 of', '0 of', '0 of'].map((left) => `${left} 60 requests left · resets in`),
  );
  expect(text.match(/Requests are paused, so nothing was sent\./g)).toHaveLength(1);
  expect(requests).toHaveLength(2);
});
