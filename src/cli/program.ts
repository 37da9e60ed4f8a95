import { Command } from '@commander-js/extra-typings';
import type { AnyCommand, Frame, Word } from './command-spec.js';
import { addGlobalFlags, goesPast } from './flags.js';
import { addColumns, addExamples, addNotes, helpText, manualOf } from './help.js';

export interface ProgramOptions {
  readonly version: string;
  readonly nouns: readonly Word[];
  /** The first word of the line: where it is a noun, that takes the flags, and the program needs none. */
  readonly first?: string | undefined;
  /** What becomes of the actions. */
  readonly frame: Pick<Frame, 'act' | 'print'>;
  /** Takes what Commander prints: help and version, or the words of a usage error. */
  readonly write: (text: string) => void;
  /** Columns that help may use. */
  readonly width: number;
}

/** Words alone, without node and script before them. */
export const fromUser = { from: 'user' } as const;

/** The command tree: a word is declared once a line names it, and nothing of what it does is loaded. */
export function createProgram({
  version,
  nouns,
  first,
  frame: given,
  write,
  width,
}: ProgramOptions): {
  readonly program: AnyCommand;
  /** The program with every word declared. */
  readonly whole: () => AnyCommand;
} {
  const program = new Command('petstore')
    .description('A client for an animal store over HTTP, with the store itself built in.')
    .usage('<command> [flags]')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: write,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      // Help has no colours, and to ask would make the streams.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      formatHelp: (command, help) => {
        declare(command as AnyCommand);
        addGlobalFlags(command as AnyCommand, version);
        // What follows a noun is shown with its arguments.
        if (command.parent) for (const below of command.commands) declare(below as AnyCommand);
        return helpText(command, help);
      },
    })
    .helpCommand(false) as AnyCommand;
  const undeclared = new Map<AnyCommand, Word>();
  const declare = (command: AnyCommand) => {
    const word = undeclared.get(command);
    undeclared.delete(command);
    word?.declare(command as Command, frame);
  };
  const frame: Frame = {
    ...given,
    examples: addExamples,
    notes: addNotes,
    columns: addColumns,
    words: (command, words) => {
      for (const word of words) {
        const added = command.command(word.name, { hidden: word.isHidden === true });
        undeclared.set(added.description(word.purpose) as AnyCommand, word);
      }
      // Flags may stand before or after any word, and only commands on the way pay for them.
      command.hook('preSubcommand', (above, below) => {
        declare(below as AnyCommand);
        if (!goesPast(below as AnyCommand, above)) addGlobalFlags(below as AnyCommand, version);
      });
    },
    manualOf,
    whole: () => {
      addGlobalFlags(program, version);
      // Whatever is declared may bring further words.
      for (const command of undeclared.keys()) declare(command);
      return program;
    },
  };
  frame.words(program, nouns);
  if (!nouns.some(({ name }) => name === first)) addGlobalFlags(program, version);
  frame.examples(program, [
    ['petstore pets list --status available', 'the sample animals on this machine'],
    ['petstore auth login', 'go to a real store'],
    ["petstore pets list --all --json | jq -r '.[].name'", 'names for a script'],
  ]);
  frame.notes(
    program,
    'The profile of a new user is `sandbox`: the store itself, in this process, with sample animals. It needs no account and opens no port. `petstore auth login` leads to a real store, and `petstore serve` runs one for others.',
    'The result goes to stdout and nothing else does; status line, notices, questions and errors go to stderr. After a command that reached a service one line tells how many requests its quota has left.',
  );
  return { program, whole: frame.whole };
}
