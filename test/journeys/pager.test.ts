import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { openShell } from '../support/terminal.js';

const marked = 'sed -e s/^/paged:/';

test('--pager pages a long table with its colors, and the quota line follows', async () => {
  const terminal = list('--limit 30 --pager', { PAGER: marked });
  await terminal.see('paged:\u001b[1mID\u001b[22m');
  await terminal.see('paged:30');
  await terminal.see('\nShowing the first 30 pets.');
  await terminal.see('requests left');
  await terminal.see('exit 0');
});

test('--pager pages long JSON', async () => {
  const terminal = list('--json --pager', { PAGER: marked });
  await terminal.see('paged:    \u001b[1m"id"\u001b[22m');
  await terminal.see('exit 0');
});

test('the setting pager pages long tables', async () => {
  const user = newUser();
  await user.run(['config', 'set', 'pager', marked]);
  const terminal = list('--limit 30', {}, user.home);
  await terminal.see('paged:30');
  await terminal.see('exit 0');
});

test.each([
  ['a table that fits on the screen', '--limit 5 --pager', 'available'],
  ['a long table without --pager', '--limit 30', '30'],
  ['NDJSON, which is printed as it arrives', '-o ndjson --limit 30 --pager', '"id"'],
  ['the output of a pipe', '--limit 30 --pager | cat', '30'],
])('%s is not paged', async (_, args, shown) => {
  const terminal = list(args, { PAGER: marked });
  await terminal.see(shown);
  await terminal.see('exit 0');
  expect(terminal.output()).not.toContain('paged:');
});

test('a pager that is quit early ends the command with 0', async () => {
  const terminal = list('--all --json --pager', { PAGER: 'head -c 1; echo quit' });
  await terminal.see('quit');
  await terminal.see('requests left');
  await terminal.see('exit 0');
  expect(terminal.output()).not.toMatch(/error|EPIPE/);
});

test('without the pager, the table is printed, and a warning names what sets the pager', async () => {
  const terminal = list('--limit 30 --pager', { PAGER: 'no-such-pager' });
  await terminal.see(/\n\S*30 /);
  await terminal.see('! cannot find the pager no-such-pager; check the variable PAGER');
  await terminal.see('exit 0');
  const user = newUser();
  await user.run(['config', 'set', 'pager', 'no-such-pager']);
  const other = list('--limit 30', {}, user.home);
  await other.see('! cannot find the pager no-such-pager; check the setting pager');
  await other.see('exit 0');
});

/** Lists pets in a shell that keeps running, since a terminal that ends may lose its last lines. */
function list(args: string, env: Readonly<Record<string, string>>, home = newUser().home) {
  return openShell(home, `petstore pets list ${args}; echo "exit $?"; read _`, { env });
}
