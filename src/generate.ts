import { manualOf } from './cli/help.js';
import { createProgram } from './cli/program.js';
import { nouns } from './commands/index.js';
import { completionScripts } from './docgen/completion-scripts.js';
import { flatten, type Outline, outlineOf } from './docgen/outline.js';
import { commandPage, pageFile } from './docgen/page.js';
import { fillReadme } from './docgen/readme.js';
import { formatRoff } from './docgen/roff.js';
import { topics } from './docgen/topics.js';

/** Every file that follows from the command tree, by its path, and README with its tables. */
export function generate(version: string, readme: string): ReadonlyMap<string, string> {
  const root = describeCommands(version);
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

/** The outline of petstore, made without running anything. */
export function describeCommands(version: string): Outline {
  const frame = { act: () => async () => {}, print: () => async () => {} };
  const write = () => {};
  const { whole } = createProgram({ version, nouns, frame, write, width: 80 });
  return outlineOf(whole(), manualOf);
}
