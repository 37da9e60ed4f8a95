import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInstalled } from '../support/is-installed.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { keys, openShell } from '../support/terminal.js';

const page = ['help', 'pets', 'list'];

test('in a pipe a manual page is text', async () => {
  const { stdout, stderr, exitCode } = await newUser().run(page);
  expect(stdout).toMatch(/^NAME\n {2}petstore-pets-list\(1\) - list the pets/);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
});

test('a broken configuration does not keep anybody from the manual', async () => {
  const user = newUser();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
  writeFileSync(join(user.home, '.config/petstore/config.json'), '{');
  const { stdout, exitCode } = await user.run(['help', 'config', 'set']);
  expect(stdout).toContain('petstore-config-set(1)');
  expect(exitCode).toBe(0);
});

test('an unknown command is exit code 2 with the nearest one', async () => {
  expect(await newUser().run(['help', 'pets', 'lits'])).toMatchInlineSnapshot(`
    --- stderr
    error: unknown command 'lits'
      hint: did you mean "list"?
    --- exit 2
  `);
  expect(await newUser().run(['help', 'exitcodes'])).toMatchInlineSnapshot(`
    --- stderr
    error: unknown command 'exitcodes'
      hint: did you mean "exit-codes"?
    --- exit 2
  `);
});

test.skipIf(!isInstalled('man'))('on a terminal man(1) shows it (needs man)', async () => {
  const terminal = show(newUser().home, { PAGER: 'cat' });
  await terminal.see('PETSTORE-PETS-LIST(1)');
  await terminal.see('petstore-pets-list - list the pets');
  await terminal.see('exit 0');
});

test.skipIf(!isInstalled('less'))(
  'where man is missing less shows it as text (needs less)',
  async () => {
    const terminal = show(newUser().home, { PATH: pathWith('less') });
    await terminal.see('petstore-pets-list(1)');
    await terminal.see('\n:');
    terminal.type('q');
    await terminal.see('exit 0');
  },
);

test('Ctrl-C is for the pager to deal with', async () => {
  const user = newUser();
  const pager = join(user.home, 'pager');
  writeFileSync(
    pager,
    '#!/bin/sh\ntrap "echo stopped; exit 0" INT\ncat\necho ready\nwhile :; do sleep 0.02; done\n',
  );
  chmodSync(pager, 0o755);
  const env = { PATH: pathWith('sh', 'cat', 'sleep'), PAGER: pager };
  const terminal = show(user.home, env);
  await terminal.see('ready');
  terminal.type(keys.interrupt);
  await terminal.see('stopped');
  await terminal.see('exit 0');
});

test('what ends petstore ends the pager', async () => {
  const user = newUser();
  const pager = join(user.home, 'pager');
  writeFileSync(
    pager,
    '#!/bin/sh\ntrap "echo stopped; exit 0" TERM\ncat\nkill -TERM $PPID\nwhile :; do sleep 0.02; done\n',
  );
  chmodSync(pager, 0o755);
  const terminal = show(user.home, { PATH: pathWith('cat', 'sleep'), PAGER: `exec ${pager}` });
  await terminal.see('stopped');
  await terminal.see('exit 143');
});

test.each([
  ['with TERM=dumb', { TERM: 'dumb' }],
  ['in CI', { CI: 'true' }],
])('%s no pager takes the terminal', async (_, env) => {
  const terminal = show(newUser().home, { ...env, PAGER: 'echo paged; cat' });
  await terminal.see('exit 0');
  expect(terminal.output()).not.toContain('paged');
});

test('where there is no pager either, it is written', async () => {
  const env = { PATH: pathWith() };
  const terminal = show(newUser().home, env);
  await terminal.see('petstore-pets-list(1)');
  await terminal.see('SEE ALSO');
  await terminal.see('exit 0');
});

test('the pager of the setting is used, the one of the environment before it', async () => {
  const user = newUser();
  const env = { PATH: pathWith('sh', 'sed') };
  await user.run(['config', 'set', 'pager', 'sed -e s/^/setting:/']);
  const first = show(user.home, env);
  await first.see('setting:NAME');
  const second = show(user.home, { ...env, PAGER: 'sed -e s/^/variable:/' });
  await second.see('variable:NAME');
  await first.see('exit 0');
  await second.see('exit 0');
});

test('a man that fails, as where pages were left out of a system, does not hide the page', async () => {
  const folder = pathWith('sh');
  writeFileSync(join(folder, 'man'), '#!/bin/sh\necho minimized >&2\nexit 1\n');
  chmodSync(join(folder, 'man'), 0o755);
  const terminal = show(newUser().home, { PATH: folder });
  await terminal.see('petstore-pets-list(1)');
  await terminal.see('exit 0');
});

/** Shows the page in a shell that stays, since a terminal that ends may lose its last lines. */
function show(home: string, env: Readonly<Record<string, string>>) {
  return openShell(home, `trap : INT; petstore ${page.join(' ')}; echo "exit $?"; read _`, { env });
}

/** A path on which there is nothing but these programs. */
function pathWith(...programs: readonly string[]): string {
  const folder = temporaryDirectory();
  for (const program of programs) symlinkSync(`/bin/${program}`, join(folder, program));
  return folder;
}
