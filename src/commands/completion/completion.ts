import type { AnyCommand, Manual } from '../../ports/frame.js';
import { bash } from '../../reference/bash.js';
import { fish } from '../../reference/fish.js';
import { outlineOf } from '../../reference/outline.js';
import { powershell } from '../../reference/powershell.js';
import { zsh } from '../../reference/zsh.js';
import type { Shell } from './shells.js';

/** The completion script of a shell, made from the commands as they are. */
export async function completionScript(
  shell: Shell,
  program: AnyCommand,
  manualOf: (command: AnyCommand) => Manual,
): Promise<string> {
  return { bash, zsh, fish, powershell }[shell](outlineOf(program, manualOf));
}
