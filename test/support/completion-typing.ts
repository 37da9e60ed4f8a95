import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './completion-world.js';
import { openProgram } from './terminal.js';

const prompt = 'go on> ';

/** Types lines into a shell in a terminal, after what sets it up; resolves to all that was on its screen. */
export async function typeInto(
  world: World,
  command: readonly string[],
  settings: string,
  typed: readonly string[],
): Promise<string> {
  const home = world.env.HOME as string;
  const terminal = openProgram(home, command, {
    columns: 200,
    cwd: world.directory,
    env: world.env,
  });
  // Until its prompt is there, a shell leaves keys to the terminal, which acts on some itself; a list of
  // candidates ends with a prompt as well.
  let count = 1000;
  const enter = async (keys: string) => {
    count += 1;
    terminal.type(`${keys}; echo at-$((${count} + 0))\r`);
    await terminal.see(`at-${count}`);
    await terminal.see(prompt);
  };
  await enter(`PS1='go o''n> '; . '${world.write('settings', settings)}'`);
  for (const keys of typed) {
    if (keys.endsWith('\r')) await enter(keys.slice(0, -1));
    else terminal.type(keys);
  }
  await enter(':');
  terminal.type('exit\r');
  await terminal.exitCode;
  return terminal.output();
}

/** What petstore was called with, a list for each call, where it is this function. */
export const recorded =
  'petstore() { printf "<%s>" "$@" >> "$HOME/calls"; echo >> "$HOME/calls"; }';

export function callsIn(world: World): readonly string[] {
  return readFileSync(join(world.env.HOME as string, 'calls'), 'utf8')
    .trimEnd()
    .split('\n');
}
