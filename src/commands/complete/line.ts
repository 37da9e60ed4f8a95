import type { CommandOutline, FlagOutline } from '../../docgen/outline.js';

/** The words before the cursor, parsed as a command line. */
export interface ParsedLine {
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
export function findFlag(name: string, flags: readonly FlagOutline[]): FlagOutline | undefined {
  return flags.find(({ names }) => names.includes(name));
}

/** Returns the flags of the command and the global ones. */
export function flagsOf(command: CommandOutline, root: CommandOutline): readonly FlagOutline[] {
  return [...new Set([...command.flags, ...root.flags])];
}

/** Drops redirections such as `2> file`. Returns undefined if the last word is the file of a redirection. */
export function dropRedirections(words: readonly string[]): readonly string[] | undefined {
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
