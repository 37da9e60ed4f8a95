import { exitCodes } from '../cli/exit-codes.js';
import { settingDefinitions } from '../config/settings.js';
import type { Outline } from './outline.js';
import { documentedVariables } from './page.js';

/** README with its tables made anew; each stands between `<!-- table: name -->` and `<!-- end -->`. */
export function fillReadme(readme: string, root: Outline): string {
  const tables: Readonly<Record<string, string>> = {
    commands: commandTable(root),
    'exit codes': exitTable,
    variables: variableTable,
    settings: settingRows,
  };
  return readme.replace(
    /(<!-- table: ([a-z ]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => {
      if (tables[name] === undefined) throw new Error(`README has a table "${name}" that is none`);
      return `${begin}${tables[name]}${end}`;
    },
  );
}

function commandTable({ commands }: Outline): string {
  return table(
    ['command', 'what it does'],
    commands.map(({ words, purpose, commands: verbs }) => {
      const name = words.join(' ');
      const rest = verbs.map((verb) => `\`${verb.words.at(-1)}\``).join(', ');
      return [`\`${name}\`${rest && ` ${rest}`}`, purpose];
    }),
  );
}

const exitTable = table(
  ['exit code', 'meaning'],
  exitCodes.map(({ code, meaning }) => [String(code), meaning]),
);

const variableTable = table(
  ['variable', 'meaning'],
  documentedVariables.map(({ name, description: meaning }) => [
    name.replaceAll(/[A-Z_]+/g, '`$&`'),
    meaning,
  ]),
);

const settingRows = table(
  ['setting', 'meaning', 'default', 'flag', 'variable'],
  settingDefinitions.map(({ name, type, description, default: value, flag, variable }) => {
    const longFlag = /--[a-z-]+/.exec(flag?.syntax ?? '')?.[0] ?? '';
    const cells = [
      name,
      description,
      String(type.serialize(value)),
      longFlag,
      variable?.name ?? '',
    ];
    return cells.map((cell, index) => (index === 1 || cell === '' ? cell : `\`${cell}\``));
  }),
);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
