import type { Completes } from '../../cli/flag-parsers.js';
import { type SettingName, settingNames, settingTable } from '../../config/settings.js';
import type { FlagOutline, Outline } from '../../docgen/outline.js';
import { topicNames, topicPurposes } from '../../docgen/topic-names.js';
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

/** Values that only this machine knows. Nothing here sends a request, and no secret is among them. */
export interface CompletionValues {
  profileNames(): readonly string[];
  /** The labels of keys in an SQLite database: the file named, else the one that `petstore serve` opens. */
  keyLabels(database: string | undefined): Promise<readonly string[]>;
}

/** Returns what may stand at the cursor, after the words before it. */
export async function findCompletion(
  words: readonly string[],
  root: Outline,
  openValues: () => Promise<CompletionValues>,
): Promise<Completion> {
  const rest = dropRedirections(words);
  if (!rest) return files;
  const current = rest.at(-1) ?? '';
  const line = parseLine(rest.slice(0, -1), root);
  if (!line) return nothing;
  const { prefix, completes, candidates } = expectAt(current, line, root);
  if (completes === 'file') return files;
  const typed = current.slice(prefix.length);
  if (completes === 'field') return completeList(typed, prefix, await fieldsOf(line.command));
  const values = candidates ?? (await findValues(completes, line, root, openValues));
  return {
    candidates: values
      .filter(({ value }) => value.startsWith(typed))
      .map(({ value, description }) => ({ value: prefix + value, description })),
    directive: 'done',
  };
}

const nothing: Completion = { candidates: [], directive: 'done' };
const files: Completion = { candidates: [], directive: 'files' };

/** What the word at the cursor is: its first characters that are no part of a value, and its kind of value. */
interface Expected {
  readonly prefix: string;
  readonly completes?: Completes | undefined;
  readonly candidates?: readonly Candidate[];
}

function expectAt(current: string, line: ParsedLine, root: Outline): Expected {
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
    return { prefix: '', candidates: flagCandidates(line, root) };
  }
  if (command.commands.length > 0 && operands.length === 0) {
    return { prefix: '', candidates: command.commands.map(commandCandidate) };
  }
  const last = command.arguments.at(-1);
  const argument =
    command.arguments[operands.length] ?? (last?.term.includes('...') ? last : undefined);
  return { prefix: '', completes: argument?.completes };
}

function flagCandidates({ command, given }: ParsedLine, root: Outline): readonly Candidate[] {
  const flags = new Set<FlagOutline>([...command.flags, ...root.flags]);
  return [...flags]
    .filter((flag) => flag.repeats || !given.has(flag))
    .flatMap(({ names, purpose }) => names.map((value) => ({ value, description: purpose })));
}

function commandCandidate({ words, purpose }: Outline): Candidate {
  return { value: words.at(-1) as string, description: purpose };
}

async function findValues(
  completes: Completes | undefined,
  line: ParsedLine,
  root: Outline,
  openValues: () => Promise<CompletionValues>,
): Promise<readonly Candidate[]> {
  const { operands, given } = line;
  switch (completes) {
    case 'profile':
      return (await openValues()).profileNames().map(asCandidate);
    case 'setting':
      return settingNames.map((value) => ({ value, description: settingTable[value].meaning }));
    case 'setting-value': {
      const setting = settingTable[operands[0] as SettingName];
      return findValues(setting?.completes, line, root, openValues);
    }
    case 'key-label': {
      const database = [...given].find(([{ names }]) => names.includes('--database'))?.[1];
      return (await (await openValues()).keyLabels(database)).map(asCandidate);
    }
    case 'command':
      return commandsBelow(operands, root);
    default:
      return Array.isArray(completes) ? completes.map(asCandidate) : [];
  }
}

function asCandidate(value: string): Candidate {
  return { value };
}

/** The commands below the one that these words name, and after no words the topics of the manual. */
function commandsBelow(words: readonly string[], root: Outline): readonly Candidate[] {
  const below = parseLine(words, root)?.command.commands ?? [];
  const topics = topicNames.map((value) => ({ value, description: topicPurposes[value] }));
  return [...below.map(commandCandidate), ...(words.length === 0 ? topics : [])];
}

async function fieldsOf({ columns }: Outline): Promise<readonly string[]> {
  return (await columns?.())?.map(({ key }) => key) ?? [];
}

/** Completes the last name of a list with commas; a name that is in the list already is not offered. */
function completeList(typed: string, prefix: string, names: readonly string[]): Completion {
  const before = typed.split(',').slice(0, -1);
  const start = before.map((name) => `${name},`).join('');
  const candidates = names
    .filter((name) => !before.includes(name) && `${start}${name}`.startsWith(typed))
    .map((name) => asCandidate(`${prefix}${start}${name}`));
  return { candidates, directive: 'no-space' };
}
