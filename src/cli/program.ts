import { Command } from '@commander-js/extra-typings';
import { addExamples, addNotes, type AnyCommand, type CommandSpec } from './command-spec.js';
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

/** Tells Commander that the arguments do not start with `node` and a script. */
export const fromUser = { from: 'user' } as const;

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

/** Adds the names and summaries of subcommands; each declares itself once a command line names it. */
export function addSubcommands(command: AnyCommand, specs: readonly CommandSpec[]): void {
  for (const spec of specs) {
    undeclared.set(command.command(spec.name).description(spec.summary) as AnyCommand, spec);
  }
  // Global flags may precede or follow any word; only commands on the way need them.
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
