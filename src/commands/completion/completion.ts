import type { AnyCommand } from '../../cli/command-spec.js';
import { bash } from '../../docgen/bash.js';
import { fish } from '../../docgen/fish.js';
import { outlineOf } from '../../docgen/outline.js';
import { powershell } from '../../docgen/powershell.js';
import { zsh } from '../../docgen/zsh.js';
import type { Shell } from './shells.js';

/** The completion script of a shell, made from the commands as they are. */
export async function completionScript(shell: Shell, program: AnyCommand): Promise<string> {
  return { bash, zsh, fish, powershell }[shell](outlineOf(program));
}
