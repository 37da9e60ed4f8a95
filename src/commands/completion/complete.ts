import type { AnyCommand } from '../../cli/command-spec.js';
import type { Completes } from '../../cli/flags.js';
import { settingDefinitions } from '../../config/settings.js';
import { type CommandOutline, type FlagOutline, outlineCommand } from '../../docgen/outline.js';
import { topicNames, topicSummaries } from '../../docgen/topics.js';

interface Candidate {
  /** Replaces the whole word at the cursor. */
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: 'done' | 'no-space' | 'files';
}

/** Values from the user's files. None is a secret. */
export interface CompletionValues {
  profileNames(): readonly string[];
  /** Returns the labels of the API keys in an SQLite database, by default the one of `petstore serve`. */
  keyLabels(database: string | undefined): Promise<readonly string[]>;
}

/** Returns the output of `petstore __complete`. Never rejects. */
export async function complete(
  words: readonly string[],
  program: AnyCommand,
  openValues: () => Promise<CompletionValues>,
): Promise<string> {
  try {
    return formatCompletion(await findCompletion(words, outlineCommand(program), openValues));
  } catch {
    // An error message would garble the command line.
    return formatCompletion(noCandidates);
  }
}

/** Returns a line for each candidate without unprintable characters, and the directive. */
export function formatCompletion({ candidates, directive }: Completion): string {
  const lines = candidates
    .filter(({ value }) => !unprintable.test(value))
    // A shell would show the backticks of Markdown.
    .map(({ value, description }) => (description ? `${value}\t${description.replaceAll('`', '')}` : value));
  return `${[...lines, `:${directive}`].join('\n')}\n`;
}

/** Control, bidi and zero-width characters, lone surrogates, line and paragraph separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns the completion of the word at the cursor, the last of `words`. */
export async function findCompletion(
  words: readonly string[],
  root: CommandOutline,
  openValues: () => Promise<CompletionValues>,
): Promise<Completion> {
  const rest = dropRedirections(words);
  if (!rest) return fileCompletion;
  const current = rest.at(-1) ?? '';
  const line = parseLine(rest.slice(0, -1), root);
  if (!line) return noCandidates;
  const { prefix = '', completes, candidates } = classifyWord(current, line, root);
  if (completes === 'file') return fileCompletion;
  const typed = current.slice(prefix.length);
  if (completes === 'field') {
    const names = line.command.output?.map(({ key }) => key) ?? [];
    return completeList(typed, prefix, names);
  }
  const values = candidates ?? (await findValues(completes, line, root, openValues));
  return {
    candidates: values
      .filter(({ value }) => value.startsWith(typed))
      .map(({ value, description }) => ({ value: prefix + value, description })),
    directive: 'done',
  };
}

const noCandidates: Completion = { candidates: [], directive: 'done' };
const fileCompletion: Completion = { candidates: [], directive: 'files' };

/** The kind of word at the cursor. */
interface ExpectedWord {
  /** The part before the value, such as `--output=`. */
  readonly prefix?: string;
  readonly completes?: Completes | undefined;
  readonly candidates?: readonly Candidate[];
}

function classifyWord(word: string, line: ParsedLine, root: CommandOutline): ExpectedWord {
  const { command, operands, pending, flagValues, hasEndedFlags } = line;
  if (pending) return { completes: pending.completes };
  if (word.startsWith('-') && !hasEndedFlags) {
    const flags = flagsOf(command, root);
    const [prefix, name = ''] = /^(--[^=]+)=/.exec(word) ?? [];
    if (prefix) return { prefix, completes: findFlag(name, flags)?.completes };
    const allowed = flags.filter((flag) => flag.isRepeatable || !flagValues.has(flag));
    const candidates = allowed.flatMap(({ names, description }) => names.map((value) => ({ value, description })));
    return { candidates };
  }
  if (command.commands.length > 0 && operands.length === 0) {
    return { candidates: command.commands.map(toCommandCandidate) };
  }
  const last = command.arguments.at(-1);
  const argument = command.arguments[operands.length] ?? (last?.isRepeatable ? last : undefined);
  return { completes: argument?.completes };
}

function toCommandCandidate({ words, summary }: CommandOutline): Candidate {
  return { value: words.at(-1) as string, description: summary };
}

async function findValues(
  completes: Completes | undefined,
  line: ParsedLine,
  root: CommandOutline,
  openValues: () => Promise<CompletionValues>,
): Promise<readonly Candidate[]> {
  const { operands, flagValues } = line;
  switch (completes) {
    case 'profile':
      return (await openValues()).profileNames().map((value) => ({ value }));
    case 'setting':
      return settingDefinitions.map(({ name, description }) => ({ value: name, description }));
    case 'setting-value': {
      const setting = settingDefinitions.find(({ name }) => name === operands[0]);
      const kind = setting?.name === 'profile' ? 'profile' : setting?.type.choices;
      return findValues(kind, line, root, openValues);
    }
    case 'key-label': {
      const findFlagValue = (flag: string) => [...flagValues].find(([{ names }]) => names.includes(flag))?.[1];
      const database = findFlagValue('--database');
      return (await (await openValues()).keyLabels(database)).map((value) => ({ value }));
    }
    case 'command':
      return listSubcommands(operands, root);
    default:
      return Array.isArray(completes) ? completes.map((value) => ({ value })) : [];
  }
}

/** Returns the candidates for the next word after `help` and these words: subcommands and topics. */
function listSubcommands(words: readonly string[], root: CommandOutline): readonly Candidate[] {
  const commands = parseLine(words, root)?.command.commands ?? [];
  const topics = topicNames.map((value) => ({ value, description: topicSummaries[value] }));
  return [...commands.map(toCommandCandidate), ...(words.length === 0 ? topics : [])];
}

/** Completes the last name of a comma-separated list, without the names before it. */
function completeList(typed: string, prefix: string, names: readonly string[]): Completion {
  const chosen = typed.split(',').slice(0, -1);
  const start = chosen.map((name) => `${name},`).join('');
  const candidates = names
    .filter((name) => !chosen.includes(name) && `${start}${name}`.startsWith(typed))
    .map((name) => ({ value: `${prefix}${start}${name}` }));
  return { candidates, directive: 'no-space' };
}

/** The words before the cursor, parsed as a command line. */
interface ParsedLine {
  readonly command: CommandOutline;
  /** The arguments of the command. */
  readonly operands: readonly string[];
  /** Each flag on the line with its last value, empty for a boolean flag. */
  readonly flagValues: ReadonlyMap<FlagOutline, string>;
  /** The flag whose value stands at the cursor. */
  readonly pending?: FlagOutline | undefined;
  /** True after `--`. */
  readonly hasEndedFlags: boolean;
}

/** Parses the words before the cursor. Returns undefined if they name an unknown command. */
export function parseLine(words: readonly string[], root: CommandOutline): ParsedLine | undefined {
  let command = root;
  let pending: FlagOutline | undefined;
  let hasEndedFlags = false;
  const operands: string[] = [];
  const flagValues = new Map<FlagOutline, string>();
  for (const word of words) {
    if (pending) {
      flagValues.set(pending, word);
      pending = undefined;
    } else if (word === '--' && !hasEndedFlags) {
      hasEndedFlags = true;
    } else if (word.startsWith('-') && !hasEndedFlags) {
      const [name = '', ...value] = word.split('=');
      const flag = findFlag(name, flagsOf(command, root));
      if (flag) flagValues.set(flag, value.join('='));
      // An optional value needs `=`.
      if (flag?.value?.startsWith('<') && value.length === 0) pending = flag;
    } else if (command.commands.length > 0 && operands.length === 0) {
      const next = command.commands.find(({ words }) => words.at(-1) === word);
      if (!next) return undefined;
      command = next;
    } else {
      operands.push(word);
    }
  }
  return { command, operands, flagValues, pending, hasEndedFlags };
}

/** Returns the flag with this long or short name. */
function findFlag(name: string, flags: readonly FlagOutline[]): FlagOutline | undefined {
  return flags.find(({ names }) => names.includes(name));
}

/** Returns the flags of the command and the global ones. */
function flagsOf(command: CommandOutline, root: CommandOutline): readonly FlagOutline[] {
  return [...new Set([...command.flags, ...root.flags])];
}

/** Drops redirections such as `2> file`. Returns undefined if the last word is the file of a redirection. */
function dropRedirections(words: readonly string[]): readonly string[] | undefined {
  const rest: string[] = [];
  let isTarget = false;
  for (const [index, word] of words.entries()) {
    const target = /^(?:\d*|&)[<>][<>&|]*(.*)$/s.exec(word)?.[1];
    const isRedirection = isTarget || target !== undefined;
    if (isRedirection && index === words.length - 1) return undefined;
    if (!isRedirection) rest.push(word);
    isTarget = target === '';
  }
  return rest;
}
