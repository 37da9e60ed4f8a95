import type { DefinitionItem } from '../format/wrap.js';
import type { CommandOutline } from './outline.js';
import { exitCodeItems, settingItems, variableItems } from './topic-pages.js';

/** Returns a Markdown page with its tables regenerated between `<!-- table: name -->` and `<!-- end -->`. */
export function fillTables(text: string, root: CommandOutline): string {
  const tables: Readonly<Record<string, string>> = {
    commands: formatTable(
      'command',
      root.commands.map(({ words, summary }) => ({ term: words.join(' '), text: summary })),
    ),
    'exit codes': formatTable('exit code', exitCodeItems),
    variables: formatTable('variable', variableItems),
    settings: formatTable('setting', settingItems),
  };
  const count = (pattern: RegExp) => text.match(pattern)?.length;
  if (count(/<!-- table: /g) !== count(/<!-- end -->/g)) throw new Error('a table has no end marker');
  return text.replace(
    /(<!-- table: ([a-z ]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      if (tables[name] === undefined) throw new Error(`unknown table "${name}"`);
      return `${begin}${tables[name]}${end}`;
    },
  );
}

/** Sets terms as code, but numbers. */
function formatTable(title: string, items: readonly DefinitionItem[]): string {
  const rows = items.map(({ term, text }) => `| ${term.replaceAll(/[A-Za-z_][\w<> -]*/g, '`$&`')} | ${text} |\n`);
  return `| ${title} | meaning |\n| --- | --- |\n${rows.join('')}`;
}
