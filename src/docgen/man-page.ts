import notesText from '../../man/notes.md';
import type { DefinitionItem } from '../format/wrap.js';
import { type CommandOutline, type FlagOutline, isRunnable } from './outline.js';
import { topicNames } from './topics.js';

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

export interface Part {
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
  const description = [summary, ...(notes.get(words.join(' ')) ?? [])];
  return [
    { title: 'Synopsis', blocks: [{ kind: 'usage', line: usageLine(outline) }] },
    { title: 'Description', blocks: description.map(textBlock) },
    { title: 'Examples', blocks: examples.map(([line, caption]) => ({ kind: 'example', line, caption })) },
    listPart(
      'Commands',
      commands.map((command) => ({ term: subcommandTerm(command), text: command.summary })),
    ),
    listPart(
      'Arguments',
      outline.arguments.map(({ term, description: text }) => ({ term, text })),
    ),
    ...groupFlags(outline).map(([title, flags]) => listPart(title, flags.map(flagItem))),
    ...(outline === root ? [listPart('Files', files)] : []),
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

const files: readonly DefinitionItem[] = [
  { term: '~/.config/petstore/config.json', text: 'settings and profiles' },
  { term: '~/.config/petstore/credentials.json', text: 'API keys, readable only by their owner' },
  { term: '~/.local/state/petstore/quota/', text: 'shared quota state' },
  { term: '~/.local/state/petstore/imports/', text: 'import journals' },
  { term: '~/.local/share/petstore/sandbox/', text: 'pets and quota of the sandbox' },
  { term: '~/.local/share/petstore/store.db', text: 'database of `petstore serve`' },
  { term: '~/.cache/petstore/', text: 'compiled code; safe to delete' },
];

function seeAlso({ words, commands }: CommandOutline, root: CommandOutline): string {
  const parents = words.length > 1 ? [root.words, words.slice(0, -1)] : [];
  const names = [...parents, ...commands.map((command) => command.words)].map((each) => `${each.join('-')}(1)`);
  const topics = topicNames.filter((topic) => topic !== 'agents').map((topic) => `${root.words[0]}-${topic}(7)`);
  return [...new Set([...names, ...topics])].map((page) => `\`${page}\``).join(', ');
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

/** Returns a part with a list; without items, a part that its page leaves out. */
export function listPart(title: string, items: readonly DefinitionItem[]): Part {
  return { title, blocks: items.length === 0 ? [] : [{ kind: 'list', items }] };
}

export function textBlock(text: string): PageBlock {
  return { kind: 'text', text };
}

/**
 * Paragraphs for the manual pages by the words of the command or the name of the topic. Code stands between backticks.
 */
export const notes: ReadonlyMap<string, readonly string[]> = new Map(
  notesText
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...paragraphs] = section.trim().split(/\n{2,}/);
      return [title, paragraphs.map((paragraph) => paragraph.replaceAll('\n', ' '))];
    }),
);
