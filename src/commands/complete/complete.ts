import type { AnyCommand } from '../../cli/command-spec.js';
import type { Completes } from '../../cli/flag-parsers.js';
import { settingDefinitions } from '../../config/settings.js';
import { type CommandOutline, type FlagOutline, outlineCommand } from '../../docgen/outline.js';
import { topicNames, topicSummaries } from '../../docgen/topic-names.js';
import { dropRedirections, findFlag, type ParsedLine, parseLine, parseShortFlags } from './line.js';

interface Candidate {
  /** Replaces the whole word at the cursor. */
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: 'done' | 'no-space' | 'files';
}

/** Values from the files of this user. None is a secret, and none needs a request. */
export interface CompletionValues {
  profileNames(): readonly string[];
  /** The labels of keys in an SQLite database: the file named, else the one that `petstore serve` opens. */
  keyLabels(database: string | undefined): Promise<readonly string[]>;
}

/** Returns what `petstore __complete` prints; never rejects. */
export async function complete(
  words: readonly string[],
  program: AnyCommand,
  openValues: () => Promise<CompletionValues>,
): Promise<string> {
  try {
    return formatCompletion(await findCompletion(words, outlineCommand(program), openValues));
  } catch {
    // A Tab must not print an error in the middle of a line.
    return formatCompletion({ candidates: [], directive: 'done' });
  }
}

/** Returns the lines of a completion, without candidates that a terminal must not show. */
export function formatCompletion({ candidates, directive }: Completion): string {
  const lines = candidates
    .filter(({ value }) => !unprintable.test(value))
    .map(({ value, description }) => (description ? `${value}\t${description}` : value));
  return `${[...lines, `:${directive}`].join('\n')}\n`;
}

/** Controls, bidi and zero-width characters, lone surrogates, line and paragraph separators. */
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
  const { prefix, completes, candidates } = classifyWord(current, line, root);
  if (completes === 'file') return fileCompletion;
  const typed = current.slice(prefix.length);
  if (completes === 'field') return completeList(typed, prefix, await loadFields(line.command));
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

/** The kind of the word at the cursor. */
interface ExpectedWord {
  /** The part before the value, such as `--output=`. */
  readonly prefix: string;
  readonly completes?: Completes | undefined;
  readonly candidates?: readonly Candidate[];
}

function classifyWord(current: string, line: ParsedLine, root: CommandOutline): ExpectedWord {
  const { command, operands, pending, hasEndedFlags } = line;
  if (pending) return { prefix: '', completes: pending.completes };
  if (current.startsWith('-') && !hasEndedFlags) {
    const [prefix, name = ''] = /^(--[^=]+)=/.exec(current) ?? [];
    if (prefix) return { prefix, completes: findFlag(name, command, root)?.completes };
    const { flags, value } = parseShortFlags(current, command, root);
    const last = flags.at(-1);
    if (last && value) {
      return { prefix: current.slice(0, -value.length), completes: last.completes };
    }
    return { prefix: '', candidates: listFlags(line, root) };
  }
  if (command.commands.length > 0 && operands.length === 0) {
    return { prefix: '', candidates: command.commands.map(toCommandCandidate) };
  }
  const last = command.arguments.at(-1);
  const argument =
    command.arguments[operands.length] ?? (last?.term.includes('...') ? last : undefined);
  return { prefix: '', completes: argument?.completes };
}

function listFlags({ command, given }: ParsedLine, root: CommandOutline): readonly Candidate[] {
  const flags = new Set<FlagOutline>([...command.flags, ...root.flags]);
  return [...flags]
    .filter((flag) => flag.isRepeatable || !given.has(flag))
    .flatMap(({ names, description }) => names.map((value) => ({ value, description })));
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
  const { operands, given } = line;
  switch (completes) {
    case 'profile':
      return (await openValues()).profileNames().map(toCandidate);
    case 'setting':
      return settingDefinitions.map(({ name, description }) => ({ value: name, description }));
    case 'setting-value': {
      const setting = settingDefinitions.find(({ name }) => name === operands[0]);
      const kind = setting?.name === 'profile' ? 'profile' : setting?.type.choices;
      return findValues(kind, line, root, openValues);
    }
    case 'key-label': {
      const database = [...given].find(([{ names }]) => names.includes('--database'))?.[1];
      return (await (await openValues()).keyLabels(database)).map(toCandidate);
    }
    case 'command':
      return listCommandsBelow(operands, root);
    default:
      return Array.isArray(completes) ? completes.map(toCandidate) : [];
  }
}

function toCandidate(value: string): Candidate {
  return { value };
}

/** Returns the commands below the one that the words name, and without words the topics of the manual too. */
function listCommandsBelow(words: readonly string[], root: CommandOutline): readonly Candidate[] {
  const below = parseLine(words, root)?.command.commands ?? [];
  const topics = topicNames.map((value) => ({ value, description: topicSummaries[value] }));
  return [...below.map(toCommandCandidate), ...(words.length === 0 ? topics : [])];
}

async function loadFields({ columns }: CommandOutline): Promise<readonly string[]> {
  return (await columns?.())?.map(({ key }) => key) ?? [];
}

/** Completes the last name of a list with commas; a name in the list is not offered again. */
function completeList(typed: string, prefix: string, names: readonly string[]): Completion {
  const before = typed.split(',').slice(0, -1);
  const start = before.map((name) => `${name},`).join('');
  const candidates = names
    .filter((name) => !before.includes(name) && `${start}${name}`.startsWith(typed))
    .map((name) => toCandidate(`${prefix}${start}${name}`));
  return { candidates, directive: 'no-space' };
}
