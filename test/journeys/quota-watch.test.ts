import { expect, test, vi } from 'vitest';
import { binary, newUser, node } from '../support/petstore.js';
import { openScreenEmulator } from '../support/screen-emulator.js';
import { keys } from '../support/terminal.js';

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
