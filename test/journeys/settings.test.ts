import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { openShell } from '../support/terminal.js';

/** Runs a shell script in a pseudo-terminal that must succeed, and returns its lines without styles. */
async function runScript(script: string, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const shell = openShell(newUser().home, script, { env, columns: 200 });
  expect(await shell.exitCode, shell.output()).toBe(0);
  return stripVTControlCharacters(shell.output()).trimEnd().split('\r\n');
}

test('config get prints the value that config list shows', async () => {
  const names = ['timeout', 'max-wait', 'accessible', 'quota-store'];
  const script = `
    petstore config set timeout 45
    petstore config list
    for name in ${names.join(' ')}; do petstore config get $name; done`;
  const lines = await runScript(script, { PETSTORE_MAX_WAIT: '7' });
  const listed = names.map((name) => lines.find((line) => line.startsWith(`${name} `))?.split(/ +/)[1]);
  expect(listed).toEqual(['45', '7', 'false', '-']);
  expect(lines.slice(-names.length)).toEqual(listed);
});

test('profile list and auth status show the same API key of the sandbox', async () => {
  const lines = await runScript('petstore pets list -q; petstore profile list; petstore auth status');
  const shown = lines.join('\n').match(/pets_…\w{4}/g);
  expect(shown).toHaveLength(2);
  expect(new Set(shown).size).toBe(1);
});

test('profile list prints the built-in profiles if config.json is broken, and names the file', async () => {
  const lines = await runScript(`
    mkdir -p "$HOME/.config/petstore"
    echo '{broken' > "$HOME/.config/petstore/config.json"
    petstore profile list`);
  const table = lines.findIndex((line) => line.startsWith('NAME '));
  expect(lines.slice(0, table).join(' ')).toMatch(
    /^! .*config\.json is not a JSON object; fix or move the file, then retry$/,
  );
  expect(lines.slice(table + 1).map((line) => line.split(' ')[0])).toEqual(['sandbox', 'staging', 'production']);
});
