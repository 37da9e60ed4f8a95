import { Command } from '@commander-js/extra-typings';
import type { AnyCommand, Frame, Noun } from '../ports/frame.js';
import { addGlobalFlags } from './flags.js';
import { addExamples, addNotes, helpText, manualOf } from './help.js';

export interface ProgramOptions {
  readonly version: string;
  readonly nouns: readonly Noun[];
  /** What becomes of the actions. */
  readonly frame: Pick<Frame, 'act' | 'print'>;
  /** Takes what Commander prints: help and version, or the words of a usage error. */
  readonly write: (text: string) => void;
  /** Columns that help may use. */
  readonly width: number;
}

/** Words alone, without node and script before them. */
export const fromUser = { from: 'user' } as const;

/** The command tree: a noun is declared once a line names it, and nothing of what it does is loaded. */
export function createProgram({ version, nouns, frame: given, write, width }: ProgramOptions): {
  readonly program: AnyCommand;
  /** The program with every noun declared. */
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
    .configureHelp({ formatHelp: helpText })
    .helpCommand(false) as AnyCommand;
  const undeclared = new Map<AnyCommand, Noun>();
  const declare = (command: AnyCommand) => {
    undeclared.get(command)?.declare(command as Command, frame);
    undeclared.delete(command);
  };
  const frame: Frame = {
    ...given,
    examples: addExamples,
    notes: addNotes,
    manualOf,
    whole: () => {
      for (const command of [...undeclared.keys()]) declare(command);
      return program;
    },
  };
  program.hook('preSubcommand', (_, below) => declare(below as AnyCommand));
  addGlobalFlags(program, version);
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
  for (const noun of nouns) {
    undeclared.set(program.command(noun.name).description(noun.purpose) as AnyCommand, noun);
  }
  return { program, whole: frame.whole };
}
