import { exitCodes } from '../cli/exit-codes.js';
import { type EnvironmentVariable, variables } from '../config/environment.js';
import { settingTable } from '../config/settings.js';
import type { DefinitionItem } from '../format/definition-list.js';
import type { FlagOutline, Outline } from './outline.js';
import { topicNames } from './topic-names.js';

/** A page of the manual, before it is laid out; text between backticks is meant literally. */
export interface Page {
  /** Its name, with hyphens: `petstore-pets-list`. */
  readonly name: string;
  /** 1 for a command, 7 for a topic (man(1), section numbers). */
  readonly section: 1 | 7;
  /** What it is about, without a full stop. */
  readonly purpose: string;
  readonly parts: readonly Part[];
}

interface Part {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  /** A line as it is used, words that stand for others in angle brackets. */
  | { readonly kind: 'usage'; readonly line: string }
  | { readonly kind: 'list'; readonly items: readonly DefinitionItem[] }
  | { readonly kind: 'example'; readonly line: string; readonly purpose: string };

/** The file of a page below `man/`, which is laid out as man(1) looks for pages. */
export function pageFile({ name, section }: Pick<Page, 'name' | 'section'>): string {
  return `man${section}/${name}.${section}`;
}

/** The page of a command. */
export function commandPage(outline: Outline, root: Outline): Page {
  const { words, purpose } = outline;
  return {
    name: words.join('-'),
    section: 1,
    purpose: purpose.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()).replace(/\.$/, ''),
    parts: partsOf(outline, root).filter(({ blocks }) => blocks.length > 0),
  };
}

function partsOf(outline: Outline, root: Outline): readonly Part[] {
  const { purpose, notes, examples, commands } = outline;
  return [
    { title: 'Synopsis', blocks: [{ kind: 'usage', line: usageOf(outline) }] },
    { title: 'Description', blocks: [purpose, ...notes].map(textBlock) },
    {
      title: 'Examples',
      blocks: examples.map(([line, aim]): Block => ({ kind: 'example', line, purpose: aim })),
    },
    {
      title: 'Commands',
      blocks: list(commands.map((below) => ({ term: shortUsage(below), text: below.purpose }))),
    },
    {
      title: 'Arguments',
      blocks: list(outline.arguments.map(({ term, purpose: text }) => ({ term, text }))),
    },
    ...groupsOf(outline).map(([title, flags]) => ({
      title,
      blocks: list(flags.map(flagItem)),
    })),
    ...(outline === root
      ? []
      : [{ title: 'Global flags', blocks: list(root.flags.map(flagItem)) }]),
    { title: 'Exit status', blocks: exitList },
    { title: 'Environment', blocks: environmentList },
    { title: 'Files', blocks: fileList },
    { title: 'See also', blocks: [textBlock(seeAlso(outline, root))] },
  ];
}

/** `petstore pets import [flags] <file>`. */
function usageOf(outline: Outline): string {
  const { words, commands, flags, arguments: given } = outline;
  // What has flags of its own does something without a command, too.
  const command = words.length > 1 && flags.length > 0 ? '[command]' : '<command>';
  const rest = commands.length > 0 ? [command] : given.map(({ term }) => term);
  return [...words, '[flags]', ...rest].join(' ');
}

export const exitList = list(
  exitCodes.map(({ code, meaning }) => ({ term: String(code), text: meaning })),
);

/** The variables that other programs read, too. */
const standardVariables: readonly EnvironmentVariable[] = [
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    description: 'proxies, and hosts that need none; this machine never does',
  },
  { name: 'NODE_EXTRA_CA_CERTS', description: 'a file of further certificate authorities' },
  {
    name: 'NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE',
    description: 'colour never, or off a terminal too; `--color` wins',
  },
  {
    name: 'TERM, CI, COLUMNS',
    description:
      'with `TERM=dumb` or in `CI` nothing is asked or redrawn; how wide the terminal is',
  },
  ...(settingTable.pager.variable ? [settingTable.pager.variable] : []),
  {
    name: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    description: 'where the files of petstore live',
  },
];

export const documentedVariables = [...variables, ...standardVariables];

export const environmentList = list(
  documentedVariables.map(({ name, description: meaning }) => ({
    term: name,
    text: meaning,
  })),
);

const fileList = list([
  { term: '~/.config/petstore/config.json', text: 'settings and profiles' },
  { term: '~/.config/petstore/credentials.json', text: 'API keys, readable for their owner alone' },
  { term: '~/.local/state/petstore/quota/', text: 'what services last said of their quotas' },
  { term: '~/.local/state/petstore/imports/', text: 'journals of imports' },
  { term: '~/.local/share/petstore/sandbox/', text: 'the sandbox' },
  { term: '~/.local/share/petstore/store.db', text: 'the database of `petstore serve`' },
  { term: '~/.cache/petstore/', text: 'compiled code, which may be removed at any time' },
]);

function seeAlso({ words, commands }: Outline, root: Outline): string {
  const above = words.length > 1 ? [words.slice(0, -1)] : [];
  const pages = [...above, ...commands.map((below) => below.words)].map(
    (each) => `\`${each.join('-')}(1)\``,
  );
  const topics = topicNames.map((topic) => `\`${root.words[0]}-${topic}(7)\``);
  return [...pages, ...topics].join(', ');
}

function groupsOf({ flags }: Outline): readonly (readonly [string, readonly FlagOutline[]])[] {
  const titles = [...new Set(flags.map(({ group = 'Flags:' }) => group))];
  return titles.map((title) => [
    title.replace(/:$/, ''),
    flags.filter(({ group = 'Flags:' }) => group === title),
  ]);
}

function flagItem({ names, value, purpose }: FlagOutline): DefinitionItem {
  return { term: [names.join(', '), value].filter(Boolean).join(' '), text: purpose };
}

function shortUsage({ words, arguments: given }: Outline): string {
  return [words.at(-1), ...given.map(({ term }) => term)].join(' ');
}

function list(items: readonly DefinitionItem[]): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

function textBlock(text: string): Block {
  return { kind: 'text', text };
}
