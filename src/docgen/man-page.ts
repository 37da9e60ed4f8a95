import { exitCodes } from '../cli/exit-codes.js';
import { type EnvironmentVariable, variables } from '../config/environment.js';
import type { DefinitionItem } from '../format/wrap.js';
import { commandNotes } from './command-notes.js';
import { type CommandOutline, type FlagOutline, flattenOutline, isRunnable } from './outline.js';
import { topicNames } from './topic-names.js';

/** A manual page before formatting. Text between backticks is code. */
export interface ManPage {
  /** Words joined by hyphens: `petstore-pets-list`. */
  readonly name: string;
  /** 1 for a command, 7 for a topic (man(1), section numbers). */
  readonly section: 1 | 7;
  /** One phrase without a period. */
  readonly summary: string;
  readonly parts: readonly Part[];
}

interface Part {
  readonly title: string;
  readonly blocks: readonly PageBlock[];
}

export type PageBlock =
  | { readonly kind: 'text'; readonly text: string }
  /** A usage line with placeholders in angle brackets. */
  | { readonly kind: 'usage'; readonly line: string }
  | { readonly kind: 'list'; readonly items: readonly DefinitionItem[] }
  | { readonly kind: 'example'; readonly line: string; readonly caption: string };

/** Returns the file of a page below `man/`, in the layout of man(1). */
export function manPageFile({ name, section }: Pick<ManPage, 'name' | 'section'>): string {
  return `man${section}/${name}.${section}`;
}

/** Builds the page of a command; `root` has the global flags. */
export function buildCommandPage(outline: CommandOutline, root: CommandOutline): ManPage {
  const { words, summary } = outline;
  return {
    name: words.join('-'),
    section: 1,
    summary: summary.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()).replace(/\.$/, ''),
    parts: buildParts(outline, root).filter(({ blocks }) => blocks.length > 0),
  };
}

function buildParts(outline: CommandOutline, root: CommandOutline): readonly Part[] {
  const { words, summary, examples, commands } = outline;
  const notes = commandNotes[words.join(' ')] ?? [];
  return [
    { title: 'Synopsis', blocks: [{ kind: 'usage', line: usageLine(outline) }] },
    { title: 'Description', blocks: [summary, ...notes].map(textBlock) },
    {
      title: 'Examples',
      blocks: examples.map(([line, caption]) => exampleBlock(line, caption)),
    },
    {
      title: 'Commands',
      blocks: listBlocks(commands.map((command) => ({ term: subcommandTerm(command), text: command.summary }))),
    },
    {
      title: 'Arguments',
      blocks: listBlocks(outline.arguments.map(({ term, description: text }) => ({ term, text }))),
    },
    ...groupFlags(outline).map(([title, flags]) => ({
      title,
      blocks: listBlocks(flags.map(flagItem)),
    })),
    ...(outline === root ? [] : [{ title: 'Global flags', blocks: listBlocks(root.flags.map(flagItem)) }]),
    { title: 'Exit status', blocks: exitCodeBlocks },
    { title: 'Environment', blocks: listVariables([...flagVariables(outline), ...commonVariables]) },
    { title: 'Files', blocks: fileBlocks },
    { title: 'See also', blocks: [textBlock(seeAlso(outline, root))] },
  ];
}

/** `petstore pets import [flags] <file>`. */
function usageLine(outline: CommandOutline): string {
  const { words, commands, arguments: given } = outline;
  const command = isRunnable(outline) ? '[command]' : '<command>';
  const rest = commands.length > 0 ? [command] : given.map(({ term }) => term);
  return [...words, '[flags]', ...rest].join(' ');
}

export const exitCodeBlocks = listBlocks(exitCodes.map(({ code, meaning }) => ({ term: String(code), text: meaning })));

/** Environment variables that other programs also read. */
const standardVariables: readonly EnvironmentVariable[] = [
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    description: 'proxy URLs and bypass list; loopback is never proxied',
  },
  { name: 'NODE_EXTRA_CA_CERTS', description: 'file with additional certificate authorities' },
  {
    name: 'NO_COLOR, FORCE_COLOR',
    description: 'disable or force color; `--color` takes precedence',
  },
  {
    name: 'TERM, CI, COLUMNS',
    description: '`TERM=dumb` and `CI` disable prompts and redrawing; `COLUMNS` sets the width',
  },
  {
    name: 'AI_AGENT',
    description: 'disables prompts and redrawing, as do the variables of common AI agents, such as `CLAUDECODE`',
  },
  { name: 'PAGER', description: 'pager command for `petstore help` (default: less)' },
  {
    name: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    description: 'base directories for petstore files',
  },
];

const commonVariables = [...variables, ...standardVariables];

/** Returns every variable; `root` has the commands whose flags have variables. */
export function listDocumentedVariables(root: CommandOutline): readonly EnvironmentVariable[] {
  const ofFlags = flattenOutline(root).flatMap(flagVariables);
  const isFirst = ({ name }: EnvironmentVariable, at: number) => ofFlags.findIndex((each) => each.name === name) === at;
  return [...variables, ...ofFlags.filter(isFirst), ...standardVariables];
}

/** Returns variables and their descriptions as a list. */
export function listVariables(documented: readonly EnvironmentVariable[]): readonly PageBlock[] {
  return listBlocks(documented.map(({ name, description }) => ({ term: name, text: description })));
}

function flagVariables({ flags }: CommandOutline): readonly EnvironmentVariable[] {
  return flags.flatMap(({ variable, names, description, isRepeatable }) => {
    if (variable === undefined) return [];
    const text = description.replace(' (repeatable)', '');
    const format = isRepeatable ? 'separated by commas; ' : '';
    return [{ name: variable, description: `${format}sets \`${names.at(-1)}\`: ${text}` }];
  });
}

const fileBlocks = listBlocks([
  { term: '~/.config/petstore/config.json', text: 'settings and profiles' },
  { term: '~/.config/petstore/credentials.json', text: 'API keys, readable only by their owner' },
  { term: '~/.local/state/petstore/quota/', text: 'shared quota state' },
  { term: '~/.local/state/petstore/imports/', text: 'import journals' },
  { term: '~/.local/share/petstore/sandbox/', text: 'pets and quota of the sandbox' },
  { term: '~/.local/share/petstore/store.db', text: 'database of `petstore serve`' },
  { term: '~/.cache/petstore/', text: 'compiled code; safe to delete' },
]);

function seeAlso({ words, commands }: CommandOutline, root: CommandOutline): string {
  const parent = words.length > 1 ? [words.slice(0, -1)] : [];
  const pages = [...parent, ...commands.map((command) => command.words)].map((each) => `\`${each.join('-')}(1)\``);
  const topics = topicNames.map((topic) => `\`${root.words[0]}-${topic}(7)\``);
  return [...pages, ...topics].join(', ');
}

function groupFlags({ flags }: CommandOutline): readonly (readonly [string, readonly FlagOutline[]])[] {
  const titles = [...new Set(flags.map(({ group = 'Flags:' }) => group))];
  return titles.map((title) => [title.replace(/:$/, ''), flags.filter(({ group = 'Flags:' }) => group === title)]);
}

function flagItem({ names, value, description }: FlagOutline): DefinitionItem {
  return { term: [names.join(', '), value].filter(Boolean).join(' '), text: description };
}

function subcommandTerm({ words, arguments: given }: CommandOutline): string {
  return [words.at(-1), ...given.map(({ term }) => term)].join(' ');
}

function listBlocks(items: readonly DefinitionItem[]): readonly PageBlock[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

export function textBlock(text: string): PageBlock {
  return { kind: 'text', text };
}

export function exampleBlock(line: string, caption: string): PageBlock {
  return { kind: 'example', line, caption };
}
