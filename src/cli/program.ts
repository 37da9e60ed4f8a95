import { Command } from '@commander-js/extra-typings';
import { Failure } from '../ports/failure.js';
import type { AnyCommand, Frame, Noun } from '../ports/frame.js';
import { suggest } from '../text/suggest.js';
import { addGlobalFlags } from './flags.js';
import { helpText } from './help.js';

export interface ProgramOptions {
  readonly version: string;
  readonly nouns: readonly Noun[];
  readonly frame: Frame;
  /** Takes what Commander prints: help and version, or the words of a usage error. */
  readonly write: (text: string) => void;
  /** Columns that help may use. */
  readonly width: number;
}

/** Words alone, without node and script before them. */
export const fromUser = { from: 'user' } as const;

/** The whole command tree; nothing of what the commands do is loaded. */
export function createProgram({ version, nouns, frame, write, width }: ProgramOptions): AnyCommand {
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
    })
    .configureHelp({ formatHelp: helpText })
    .helpCommand(false) as AnyCommand;
  addGlobalFlags(program, version);
  for (const noun of nouns) noun(program, frame);
  program
    .command('help')
    .description('Show the help of a command.')
    .argument('[command...]', 'the command, such as pets list')
    .action((words: readonly string[]) => findCommand(program, words).help());
  return program;
}

function findCommand(program: AnyCommand, words: readonly string[]): AnyCommand {
  let found = program;
  for (const word of words) {
    const below = found.commands.find((command) => command.name() === word);
    if (!below) throw unknownCommand(found, word);
    found = below;
    addGlobalFlags(found, program.version() as string);
  }
  return found;
}

function unknownCommand(within: AnyCommand, word: string): Failure {
  return new Failure('usage', {
    code: 'unknown_command',
    message: `unknown command '${word}'`,
    hint: suggest(
      word,
      within.commands.map((command) => command.name()),
    ),
  });
}
