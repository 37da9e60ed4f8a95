import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startCannedServer } from '../support/canned-server.js';
import { binary, newUser, node } from '../support/petstore.js';
import { openScreenEmulator, seeDrawing } from '../support/screen-emulator.js';
import { keys } from '../support/terminal.js';

const sizes = [
  [40, 24],
  [200, 24],
  [60, 10],
  [40, 5],
  [100, 5],
  [80, 24],
] as const;

const name = 'a name that is longer than a line of forty columns';
const login = ['auth', 'login', '-p', 'staging', '--base-url', 'http://localhost:1/v1'];

const listKeys = '↑↓ navigate • ⏎ select( •)? esc cancel';
/** What the screen shows. A small screen may leave out the keys. */
const prompts: readonly (readonly [string, readonly string[], string, string])[] = [
  ['input', ['pets', 'add'], name, `\\? Name: ${name}`],
  [
    'select',
    ['profile', 'use'],
    '',
    `\\? Switch to which profile\\? ❯ sandbox \\(current\\) staging production (${listKeys})?`,
  ],
  ['confirm', ['sandbox', 'reset'], 'y', '\\? Replace all 72 pets in the sandbox with the sample pets\\? \\(y/N\\) y'],
  ['password', login, '', '\\? API key of staging for http://localhost:1: \\[input is hidden\\]'],
];

test.each([
  ['24', [6, 24, 5, 8, 24]],
  ['12', [7, 6, 12]],
] as const)(
  'a list of %s rows leaves no copy behind when a window that is shorter grows again',
  async (rows, heights) => {
    const user = newUser();
    const profiles = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`team-${index}`, {}]));
    mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
    writeFileSync(join(user.home, '.config/petstore/config.json'), JSON.stringify({ profiles }));
    const script = `echo before; exec '${node}' '${binary}' profile use`;
    const screen = openScreenEmulator(user.home, ['sh', '-c', script], { rows: Number(rows) });
    await screen.see(/^before\n\? Switch[\s\S]*cancel/);
    for (const height of heights) {
      const before = screen.output().length;
      screen.resize(80, height);
      await vi.waitFor(() => expect(screen.output().length).toBeGreaterThan(before), { timeout: 30_000, interval: 5 });
      await seeDrawing(screen, /^(before\n)?\? Switch to which profile\?\n❯ sandbox \(current\)\n((?!\?|❯)[\s\S])*$/);
    }
    screen.type(keys.interrupt);
    expect(await screen.exitCode).toBe(130);
    await screen.see(/^(before\n)?Canceled\.\n*$/);
  },
);

test.each(prompts)('a resize redraws %s without debris', async (_, args, text, content) => {
  const script = `echo before; exec '${node}' '${binary}' ${args.join(' ')}`;
  // The emulator moves the cursor as the terminal of VS Code does.
  const screen = openScreenEmulator(newUser().home, ['sh', '-c', script], { env: { TERM_PROGRAM: 'vscode' } });
  await screen.see(/\n\? /);
  screen.type(text);
  const expected = new RegExp(`^(before)?${content.replaceAll(' ', '')}$`);
  const expectContent = () => seeDrawing(screen, expected, (lines) => lines.join('').replaceAll(' ', ''));
  await expectContent();
  for (const [columns, rows] of sizes) {
    const before = screen.output().length;
    screen.resize(columns, rows);
    await vi.waitFor(() => expect(screen.output().length).toBeGreaterThan(before), { timeout: 30_000, interval: 5 });
    await expectContent();
  }
  screen.type(keys.interrupt);
  expect(await screen.exitCode).toBe(130);
  await screen.see(/Canceled\./);
});

test('a resize redraws a wait without debris', async () => {
  const { env } = await startCannedServer({ status: 429, headers: { 'retry-after': '50' } });
  const script = `echo before; exec '${node}' '${binary}' pets list`;
  const screen = openScreenEmulator(newUser().home, ['sh', '-c', script], { env });
  await screen.see('Waiting');
  for (const columns of [40, 20, 80]) {
    const before = screen.output().length;
    screen.resize(columns, 24);
    await vi.waitFor(() => expect(screen.output().slice(before)).toContain('\u001b[J'), {
      timeout: 30_000,
      interval: 5,
    });
    await vi.waitFor(
      async () => {
        const content = (await screen.lines()).join('').replaceAll(' ', '');
        expect(content).toMatch(/^(before)?.Waiting\d+sforthequotaof127\.0\.0\.1:\d+$/);
      },
      { timeout: 30_000, interval: 10 },
    );
  }
  screen.type(keys.interrupt);
  await screen.see(/Canceled\./);
});
