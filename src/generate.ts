import { createProgram, declareAll } from './cli/program.js';
import { commandGroups } from './commands/index.js';
import { completionScripts } from './docgen/completion-scripts.js';
import { flatten, type Outline, outlineOf } from './docgen/outline.js';
import { commandPage, pageFile } from './docgen/page.js';
import { fillReadme } from './docgen/readme.js';
import { formatRoff } from './docgen/roff.js';
import { topics } from './docgen/topics.js';

/** Every file that follows from the command tree, by its path, and README with its tables. */
export function generate(version: string, readme: string): ReadonlyMap<string, string> {
  const root = describeCommands();
  const pages = [
    ...flatten(root).map((outline) => commandPage(outline, root)),
    ...Object.values(topics),
  ];
  return new Map([
    ['completions/petstore.bash', completionScripts.bash],
    ['completions/_petstore', completionScripts.zsh],
    ['completions/petstore.fish', completionScripts.fish],
    ['completions/petstore.ps1', completionScripts.powershell],
    ['README.md', fillReadme(readme, root)],
    ...pages.map((page) => [`man/${pageFile(page)}`, formatRoff(page, version)] as const),
  ]);
}

/** Returns the outline of the whole command tree; runs nothing. */
export function describeCommands(): Outline {
  const program = createProgram({ groups: commandGroups, write: () => {}, width: 80 });
  return outlineOf(declareAll(program));
}
