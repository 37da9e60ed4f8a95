import { expect, test } from 'vitest';
import { binary, newUser, node } from '../support/petstore.js';
import { openScreenEmulator } from '../support/screen-emulator.js';
import { openTerminal } from '../support/terminal.js';

test.each([200, 100, 80, 60, 40])('messages wrap at words at %d columns', async (columns) => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'get', '1'], { columns });
  await screen.exitCode;
  await screen.see('warning:');
  const text = (await screen.lines()).join('\n');
  for (const word of ['deprecated:', 'service', 'December', 'petstore', "'.[]", 'requests', 'resets']) {
    expect(text).toContain(word);
  }
  expect(text).not.toMatch(/\w{3,}\n\w{1,3}\n/);
});

test.each([200, 80, 60, 40])('doctor cuts nothing at %d columns', async (columns) => {
  const env = { PETSTORE_PROFILE: 'production' };
  const screen = openScreenEmulator(newUser().home, [node, binary, 'doctor'], { columns, rows: 40, env });
  expect(await screen.exitCode).toBe(1);
  await screen.see('hint:');
  const lines = await screen.lines();
  const text = lines.join(' ').replace(/ +/g, ' ');
  expect(text).not.toContain('…');
  expect(text).toContain(
    '✗ profile profile production has no base URL run petstore profile set production --base-url <url>',
  );
  expect(text).toContain('- ledger skipped: no Redis is configured; processes on this machine share the quota');
  expect(text).toContain('- service skipped: no request was sent');
  expect(lines.filter((line) => /^[✓!✗-] /.test(line))).toHaveLength(9);
});

test('marks of success, warnings and failures have a color', async () => {
  const { home } = newUser();
  const env = { PETSTORE_PROFILE: 'production', PETSTORE_TIMEOUTS: '1' };
  const doctor = openTerminal(home, ['doctor'], { env });
  expect(await doctor.exitCode).toBe(1);
  expect(doctor.output()).toContain('\u001b[32m✓\u001b[39m node');
  expect(doctor.output()).toContain('\u001b[1m\u001b[31m✗\u001b[39m\u001b[22m profile');
  expect(doctor.output()).toContain('\u001b[35mwarning:\u001b[39m unknown environment variable');
  const use = openTerminal(home, ['profile', 'use', 'staging']);
  expect(await use.exitCode).toBe(0);
  expect(use.output()).toContain('\u001b[32m✓\u001b[39m Switched');
});
