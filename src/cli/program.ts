import { Command, type CommanderError } from '@commander-js/extra-typings';
import { Failure } from '../failure.js';
import { type AnyCommand, addExamples, addNotes, type CommandSpec } from './command-spec.js';
import { addGlobalFlags, namesSubcommand } from './flags.js';
import { helpText } from './help.js';

export interface ProgramOptions {
  readonly groups: readonly CommandSpec[];
  /** The first argument. If it names a group, the group gets the global flags and the program needs none. */
  readonly firstArgument?: string | undefined;
  /** Receives what Commander prints: help, version, usage errors. */
  readonly write: (text: string) => void;
  /** Columns for help. */
  readonly width: number;
}

/** Returns the command tree. Commands are declared when a command line or the help names them. */
export function createProgram({ groups, firstArgument, write, width }: ProgramOptions): AnyCommand {
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
      // Help has no colors, and Commander's check would open both streams.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      formatHelp: (command, help) => {
        declare(command as AnyCommand);
        addGlobalFlags(command as AnyCommand);
        // Help lists subcommands with their arguments.
        if (command.parent) for (const child of command.commands) declare(child as AnyCommand);
        return helpText(command, help);
      },
    })
    .helpCommand(false) as AnyCommand;
  addSubcommands(program, groups);
  if (!groups.some(({ name }) => name === firstArgument)) addGlobalFlags(program);
  addExamples(program, [
    ['petstore pets list --status available', 'the sample animals on this machine'],
    ['petstore auth login', 'go to a real store'],
    ["petstore pets list --all --json | jq -r '.[].name'", 'names for a script'],
  ]);
  addNotes(
    program,
    'The profile of a new user is `sandbox`: the store itself, in this process, with sample animals. It needs no account and opens no port. `petstore auth login` leads to a real store, and `petstore serve` runs one for others.',
    'The result goes to stdout and nothing else does; status line, notices, questions and errors go to stderr. After a command that reached a service one line tells how many requests its quota has left.',
  );
  return program;
}

/**
 * Parses the arguments (without node and script), which records the invocation. Returns false if Commander printed help
 * or the version. Throws a usage error on a command line that it cannot read.
 */
export async function parseArguments(program: AnyCommand, argv: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync(argv, { from: 'user' });
    return true;
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    if (displayCodes.includes(error.code)) return false;
    throw usageFailure(error);
  }
}

/** Adds the names and summaries of subcommands; each declares itself once a command line names it. */
export function addSubcommands(command: AnyCommand, specs: readonly CommandSpec[]): void {
  for (const spec of specs) {
    const child = command.command(spec.name, { hidden: spec.isHidden === true });
    undeclared.set(child.description(spec.summary) as AnyCommand, spec);
  }
  // Global flags may precede or follow any word; only the selected command and its parents need them.
  command.hook('preSubcommand', (parent, child) => {
    declare(child as AnyCommand);
    if (!namesSubcommand(child as AnyCommand, parent)) addGlobalFlags(child as AnyCommand);
  });
}

/** Declares every command below this one and returns it: for help, manual pages and completion. */
export function declareAll(command: AnyCommand): AnyCommand {
  declare(command);
  if (!command.parent) addGlobalFlags(command);
  for (const child of command.commands) declareAll(child as AnyCommand);
  return command;
}

const undeclared = new WeakMap<AnyCommand, CommandSpec>();

function declare(command: AnyCommand): void {
  const spec = undeclared.get(command);
  undeclared.delete(command);
  spec?.declare(command as Command);
}

/** Commander's codes after it printed help or the version; a group alone prints its help. */
const displayCodes = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

function isCommanderError(error: unknown): error is CommanderError {
  return String((error as CommanderError).code).startsWith('commander.');
}

function usageFailure({ code, message }: CommanderError): Failure {
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n');
  return new Failure('usage', {
    code: code.slice('commander.'.length).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    // A value may be a secret that was typed in the wrong place.
    message: problem.replace(/^(unknown option '--[^'=]*)=.*'$/s, "$1'"),
    hint: suggestion?.replace(/^\(Did you mean (one of )?(.*)\?\)$/, 'did you mean $1"$2"?'),
  });
}
