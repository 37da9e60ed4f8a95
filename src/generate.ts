import { createProgram, declareAll } from './cli/program.js';
import { commandGroups } from './commands/index.js';
import { bash } from './docgen/bash.js';
import { fish } from './docgen/fish.js';
import { flatten, type Outline, outlineOf } from './docgen/outline.js';
import { commandPage, pageFile } from './docgen/page.js';
import { powershell } from './docgen/powershell.js';
import { fillReadme } from './docgen/readme.js';
import { formatRoff } from './docgen/roff.js';
import { topics } from './docgen/topics.js';
import { zsh } from './docgen/zsh.js';

/** Every file that follows from the command tree, by its path, and README with its tables. */
export function generate(version: string, readme: string): ReadonlyMap<string, string> {
  const root = describeCommands();
  const pages = [
    ...flatten(root).map((outline) => commandPage(outline, root)),
    ...Object.values(topics),
  ];
  return new Map([
    ['completions/petstore.bash', bash(root)],
    ['completions/_petstore', zsh(root)],
    ['completions/petstore.fish', fish(root)],
    ['completions/petstore.ps1', powershell(root)],
    ['README.md', fillReadme(readme, root)],
    ...pages.map((page) => [`man/${pageFile(page)}`, formatRoff(page, version)] as const),
  ]);
}

/** Returns the outline of the whole command tree; runs nothing. */
export function describeCommands(): Outline {
  const program = createProgram({ groups: commandGroups, write: () => {}, width: 80 });
  return outlineOf(declareAll(program));
}
