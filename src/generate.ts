import { createProgram, declareAll } from './cli/program.js';
import { petstore } from './commands/index.js';
import { formatRoff } from './docgen/format-roff.js';
import { buildCommandPage, manPageFile } from './docgen/man-page.js';
import { type CommandOutline, flattenOutline, outlineCommand } from './docgen/outline.js';
import { buildTopicPages, exitCodeItems } from './docgen/topic-pages.js';

/** Returns every generated file by its path: manual pages, and the given Markdown pages with their tables filled. */
export function generateFiles(version: string, docs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const root = outlineAllCommands();
  const pages = [
    ...flattenOutline(root).map((outline) => buildCommandPage(outline, root)),
    ...Object.values(buildTopicPages()),
  ];
  return new Map([
    ...[...docs].map(([path, text]) => [path, fillTables(text)] as const),
    ...pages.map((page) => [`man/${manPageFile(page)}`, formatRoff(page, version)] as const),
  ]);
}

/** Returns the outline of the whole command tree; runs nothing. */
export function outlineAllCommands(): CommandOutline {
  const program = createProgram(petstore, { write: () => {}, width: 80 });
  return outlineCommand(declareAll(program));
}

/** Returns a Markdown page with its table of exit codes regenerated between `<!-- table: exit codes -->` and `<!-- end -->`. */
function fillTables(text: string): string {
  const rows = exitCodeItems.map(({ term, text: meaning }) => `| ${term} | ${meaning} |\n`);
  const table = ['| exit code | meaning |\n| --- | --- |\n', ...rows].join('');
  return text.replace(/(<!-- table: exit codes -->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, end) => begin + table + end);
}
