import { exitCodeItems } from './topic-pages.js';

/** Returns a Markdown page with its table of exit codes regenerated between `<!-- table: exit codes -->` and `<!-- end -->`. */
export function fillTables(text: string): string {
  const rows = exitCodeItems.map(({ term, text: meaning }) => `| ${term} | ${meaning} |\n`);
  const table = ['| exit code | meaning |\n| --- | --- |\n', ...rows].join('');
  return text.replace(/(<!-- table: exit codes -->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, end) => begin + table + end);
}
