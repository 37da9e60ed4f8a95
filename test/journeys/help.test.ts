import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { isInstalled } from '../support/programs.js';
import { keys, openShell } from '../support/terminal.js';

const page = ['help', 'pets', 'list'];

test('a manual page is plain text in a pipe', async () => {
  const { stdout, stderr, exitCode } = await newUser().run(page);
  expect(stdout).toMatch(/^NAME\n {2}petstore-pets-list\(1\) - list pets/);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
});

test('help works with a broken configuration', async () => {
  const user = newUser();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
  writeFileSync(join(user.home, '.config/petstore/config.json'), '{');
  const { stdout, exitCode } = await user.run(['help', 'config', 'set']);
  expect(stdout).toContain('petstore-config-set(1)');
  expect(exitCode).toBe(0);
});

test.skipIf(!isInstalled('less'))('less shows a page (needs less)', async () => {
  const terminal = showPage(newUser().home, { PATH: pathWith('less') });
  await terminal.see('petstore-pets-list(1)');
  await terminal.see('\n:');
  terminal.type('q');
  await terminal.see('exit 0');
});

test('the pager handles Ctrl-C', async () => {
  const { home } = newUser();
  const PAGER = writeScript(home, 'pager', `${trap('INT')}\ncat\necho ready\n${loop}`);
  const terminal = showPage(home, { PATH: pathWith('sh', 'cat', 'sleep'), PAGER });
  await terminal.see('ready');
  terminal.type(keys.interrupt);
  await terminal.see('stopped');
  await terminal.see('exit 0');
});

test.each([
  ['with TERM=dumb', { TERM: 'dumb' }],
  ['in CI', { CI: 'true' }],
  ['for an AI agent', { AI_AGENT: '1' }],
])('help starts no pager %s', async (_, env) => {
  const terminal = showPage(newUser().home, { ...env, PAGER: 'echo paged; cat' });
  await terminal.see('exit 0');
  expect(terminal.output()).not.toContain('paged');
});

/** Shows the page in a shell that keeps running, since a terminal that ends may lose its last lines. */
function showPage(home: string, env: Readonly<Record<string, string>>) {
  return openShell(home, `trap : INT; petstore ${page.join(' ')}; echo "exit $?"; read _`, { env });
}

const trap = (signal: string) => `trap "echo stopped; exit 0" ${signal}`;
const loop = 'while :; do sleep 0.02; done';

/** Writes an executable shell script and returns its path. */
function writeScript(folder: string, name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** Returns a PATH with only these programs. */
function pathWith(...programs: readonly string[]): string {
  const folder = temporaryDirectory();
  for (const program of programs) symlinkSync(`/bin/${program}`, join(folder, program));
  return folder;
}
