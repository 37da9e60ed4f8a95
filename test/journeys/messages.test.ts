import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { binary, newUser, node } from '../support/petstore.js';
import { openScreenEmulator, openShell, openTerminal } from '../support/terminal.js';

test.each([200, 100, 80, 60, 40])('messages wrap at words at %d columns', async (columns) => {
  const screen = openScreenEmulator(newUser().home, [node, binary, 'pets', 'get', '1'], { columns });
  await screen.exitCode;
  await screen.see('! pets get is deprecated');
  const text = (await screen.lines()).join('\n');
  for (const word of ['deprecated;', 'service', 'December', 'requests', 'resets']) {
    expect(text).toContain(word);
  }
  expect(text).not.toMatch(/\w{3,}\n\w{1,3}\n/);
  // The terminal wraps the command, so that it can be copied.
  expect(screen.output()).toContain('petstore auth login --profile production --base-url <url>');
});

test.each([200, 100, 80, 60, 40])('doctor cuts nothing at %d columns', async (columns) => {
  const { home } = newUser();
  const env = { PETSTORE_PROFILE: 'production', PETSTORE_TIMEOUT: 'x', PETSTORE_MAX_WAIT: 'y' };
  const screen = openScreenEmulator(home, [node, binary, 'doctor'], { columns, rows: 40, env });
  expect(await screen.exitCode).toBe(1);
  await screen.see('hint:');
  const lines = await screen.lines();
  const text = lines.join(' ').replace(/ +/g, ' ');
  expect(text).not.toContain('…');
  expect(text).toContain('✗ profile profile production has no base URL run petstore');
  expect(screen.output()).toContain('petstore profile set production --base-url <url>');
  expect(text).toContain('- service skipped: nothing was sent');
  expect(text).toContain('✗ configuration the environment variable PETSTORE_TIMEOUT must be');
  expect(text).toContain('the environment variable PETSTORE_MAX_WAIT must be');
  expect(lines.filter((line) => /^[✓!✗-] /.test(line))).toHaveLength(8);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
});

test('doctor names the check api-key, whether it passes or fails', async () => {
  const script = 'petstore doctor; petstore doctor -p staging --base-url http://127.0.0.1:1/v1';
  const shell = openShell(newUser().home, script);
  expect(await shell.exitCode).toBe(1);
  const rows = stripVTControlCharacters(shell.output()).match(/^. api-key .*$/gm);
  expect(rows).toEqual(['✓ api-key        created on first use', '✗ api-key        profile staging has no API key']);
});

test('marks of success, warnings and failures have a color', async () => {
  const { home } = newUser();
  const env = { PETSTORE_PROFILE: 'production', PETSTORE_TIMEOUTS: '1' };
  const doctor = openTerminal(home, ['doctor'], { env });
  expect(await doctor.exitCode).toBe(1);
  expect(doctor.output()).toContain('\u001b[32m✓\u001b[39m node');
  expect(doctor.output()).toContain('\u001b[1m\u001b[91m✗\u001b[39m\u001b[22m profile');
  expect(doctor.output()).toContain('\u001b[95m!\u001b[39m unknown environment variable');
  const use = openTerminal(home, ['profile', 'use', 'staging']);
  expect(await use.exitCode).toBe(0);
  expect(use.output()).toContain('\u001b[32m✓\u001b[39m Switched');
});

test('errors of --jq are text on a terminal, and one line of JSON if stdout is a pipe', async () => {
  const { home } = newUser();
  const shell = openShell(home, 'petstore pets list --jq "]"; petstore pets list --jq "]" | cat', { columns: 200 });
  expect(await shell.exitCode).toBe(0);
  const [text = '', hint = '', json = '', ...rest] = shell.output().split('\r\n');
  expect(stripVTControlCharacters(text)).toMatch(/^error: jq: syntax error/);
  expect(stripVTControlCharacters(hint)).toMatch(/^ {2}hint: check the program/);
  // The terminal wraps it at 200 columns.
  expect(JSON.parse(json + rest.join(''))).toMatchObject({ error: { code: 'invalid_flag', exitCode: 2 } });
});

test('usage errors obey --color never and the setting color', async () => {
  const user = newUser();
  const showError = async (...flags: string[]) => {
    const terminal = openTerminal(user.home, ['pets', 'lst', ...flags]);
    expect(await terminal.exitCode).toBe(2);
    return terminal.output();
  };
  expect(await showError()).toContain('\u001b[1m\u001b[91merror:\u001b[39m\u001b[22m unknown command');
  const plain = 'error: unknown command "lst"\r\n  hint: did you mean "petstore pets list"?\r\n';
  expect(await showError('--color', 'never')).toBe(plain);
  await user.run(['config', 'set', 'color', 'never']);
  expect(await showError()).toBe(plain);
});

test.each([60, 40])('quota and the result of pets export fit %d columns', async (columns) => {
  const user = newUser();
  // The first command prints how to use a real service, on one line.
  await user.run(['pets', 'list']);
  const script = 'petstore pets export out.csv && petstore quota';
  const shell = openShell(user.home, script, { columns, cwd: user.home });
  expect(await shell.exitCode).toBe(0);
  // On a busy machine, a spinner appears, which moves the cursor to the first column.
  const output = shell.output().replaceAll('\u001b[1G', '\n');
  const lines = stripVTControlCharacters(output).split(/[\r\n]+/);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
  const text = lines.join(' ').replace(/ +/g, ' ');
  expect(text).toContain('✓ Exported 72 pets to out.csv');
  expect(text).toMatch(/ minute █+░ 58 of 60 requests left · resets in \w+ Updated /);
});
