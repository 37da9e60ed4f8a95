import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary, node, temporaryDirectory } from './petstore.js';
import { openScreenEmulator } from './screen-emulator.js';
import { keys } from './terminal.js';

/** Opens an interactive shell with job control. The names of its jobs do not depend on the path of the binary. */
export async function openInteractiveShell(env: Readonly<Record<string, string>> = {}) {
  const home = temporaryDirectory();
  const startup = join(home, 'bashrc');
  writeFileSync(startup, `PS1='ready> '; PATH="$HOME:$PATH"; tty > ~/tty\n`);
  writeFileSync(join(home, 'petstore'), `#!/bin/sh\nexec '${node}' '${binary}' "$@"\n`, { mode: 0o755 });
  const screen = openScreenEmulator(home, ['bash', '--rcfile', startup, '-i'], { env, columns: 100 });
  await screen.see('ready>');
  const tty = readFileSync(join(home, 'tty'), 'utf8').trim();
  return { ...screen, home, tty, run: (command: string) => screen.type(`${command}${keys.enter}`) };
}
