import { exitCodes } from '../cli/exit-codes.js';
import { settingDefinitions } from '../config/settings.js';
import { listDocumentedVariables } from './man-page.js';
import type { CommandOutline } from './outline.js';
import { errorCodeRows } from './topic-pages.js';

/** Returns a Markdown page with its tables regenerated between `<!-- table: name -->` and `<!-- end -->`. */
export function fillTables(text: string, root: CommandOutline): string {
  const tables: Readonly<Record<string, string>> = {
    commands: commandTable(root),
    'exit codes': exitTable,
    'error codes': errorTable,
    variables: variableTable(root),
    'serve flags': serveFlagTable(root),
    settings: settingTable,
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

function commandTable({ commands }: CommandOutline): string {
  return table(
    ['command', 'what it does'],
    commands.map(({ words, summary, commands: subcommands }) => {
      const name = words.join(' ');
      const rest = subcommands.map((subcommand) => `\`${subcommand.words.at(-1)}\``).join(', ');
      return [`\`${name}\`${rest && ` ${rest}`}`, summary];
    }),
  );
}

const exitTable = table(
  ['exit code', 'meaning'],
  exitCodes.map(({ code, meaning }) => [String(code), meaning]),
);

const errorTable = table(
  ['error code', 'meaning', 'fix'],
  errorCodeRows.map(({ code, meaning, fix }) => [`\`${code}\``, meaning, fix]),
);

function variableTable(root: CommandOutline): string {
  return table(
    ['variable', 'meaning'],
    listDocumentedVariables(root).map(({ name, description }) => [name.replaceAll(/[A-Z_]+/g, '`$&`'), description]),
  );
}

function serveFlagTable({ commands }: CommandOutline): string {
  const flags = commands.find(({ words }) => words.at(-1) === 'serve')?.flags ?? [];
  return table(
    ['flag', 'variable', 'meaning'],
    flags.map(({ names, value, variable, description }) => [
      `\`${[names.at(-1), value].filter(Boolean).join(' ')}\``,
      `\`${variable}\``,
      description,
    ]),
  );
}

const settingTable = table(
  ['setting', 'meaning', 'default', 'flag', 'variable'],
  settingDefinitions.map(({ name, type, description, default: value, flag, variable }) => {
    const longFlag = /--[a-z-]+/.exec(flag ?? '')?.[0] ?? '';
    const cells = [name, description, String(type.serialize(value)), longFlag, variable ?? ''];
    return cells.map((cell, index) => (index === 1 || cell === '' ? cell : `\`${cell}\``));
  }),
);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
