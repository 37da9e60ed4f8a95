import { createProgram, declareAll } from './cli/program.js';
import { petstore } from './commands/index.js';
import { completionScripts } from './docgen/completion-scripts.js';
import { fillTables } from './docgen/fill-tables.js';
import { formatMarkdownPage } from './docgen/format-markdown-page.js';
import { formatRoff } from './docgen/format-roff.js';
import { buildCommandPage, manPageFile } from './docgen/man-page.js';
import { type CommandOutline, flattenOutline, outlineCommand } from './docgen/outline.js';
import { buildTopicPages } from './docgen/topic-pages.js';

/**
 * Returns every generated file by its path: completion scripts, manual pages, and the given Markdown pages with their
 * tables filled.
 */
export function generateFiles(version: string, docs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const root = outlineAllCommands();
  const topicPages = buildTopicPages(root);
  const pages = [
    ...flattenOutline(root).map((outline) => buildCommandPage(outline, root)),
    ...Object.values(topicPages),
  ];
  return new Map([
    ['completions/petstore.bash', completionScripts.bash],
    ['completions/_petstore', completionScripts.zsh],
    ['completions/petstore.fish', completionScripts.fish],
    ['completions/petstore.ps1', completionScripts.powershell],
    ...[...docs].map(([path, text]) => [path, fillTables(text, root)] as const),
    ['docs/agents.md', formatMarkdownPage(topicPages.agents, 'AI agents')],
    ...pages.map((page) => [`man/${manPageFile(page)}`, formatRoff(page, version)] as const),
  ]);
}

/** Returns the outline of the whole command tree; runs nothing. */
export function outlineAllCommands(): CommandOutline {
  const program = createProgram({ ...petstore, write: () => {}, width: 80 });
  return outlineCommand(declareAll(program));
}
