import { Command } from '@commander-js/extra-typings';
import type { AnyCommand, Frame, Noun } from '../ports/frame.js';
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
  return program;
}
