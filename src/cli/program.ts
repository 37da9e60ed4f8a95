import { Command, type CommanderError } from '@commander-js/extra-typings';
import { type AnyCommand, type CommandSpec, commandPath, rootOf, setDetails } from './command-spec.js';
import { addGlobalFlags, namesSubcommand } from './flags.js';
import { helpText } from './help.js';

interface ProgramOptions {
  /** The first argument. If it names a group, the group gets the global flags and the program needs none. */
  readonly firstArgument?: string | undefined;
  /** Receives what Commander prints: help, version, usage errors. */
  readonly write: (text: string) => void;
  /** Columns for help. */
  readonly width: number;
}

/** Returns the command tree. Commands are declared when a command line or the help names them. */
export function createProgram(spec: CommandSpec, { firstArgument, write, width }: ProgramOptions): AnyCommand {
  const program = new Command(spec.name)
    .description(spec.summary)
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
  undeclared.set(program, spec);
  declare(program);
  if (!program.commands.some((group) => group.name() === firstArgument)) addGlobalFlags(program);
  return program;
}

/**
 * Parses the arguments (without node and script), which records the invocation: for `--help --json`, that of `help --json`.
 * Returns false if Commander printed help or the version. Throws a usage error on a command line that it cannot read.
 */
export async function parseArguments(program: AnyCommand, argv: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync(moveHelpFlag(argv), { from: 'user' });
    return true;
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    const command = selected.get(program) ?? program;
    const [word = '-'] = command.args;
    // Commander prints the help of a group even after a word that is not one of its commands.
    const isUnknown = error.code === 'commander.helpDisplayed' && command.commands.length > 0 && !word.startsWith('-');
    if (displayCodes.includes(error.code) && !isUnknown) {
      if (error.code !== 'commander.helpDisplayed' || !argv.includes('--json')) return false;
      return parseArguments(program, ['help', ...commandPath(command).slice(1), '--json']);
    }
    const { toUsageFailure } = await import('./usage-errors.js');
    declareAll(program);
    throw toUsageFailure(error, command);
  }
}

/**
 * Moves a help flag behind the commands that follow it directly: before a subcommand, Commander prints the help of its
 * parent.
 */
function moveHelpFlag(argv: readonly string[]): readonly string[] {
  const index = argv.findIndex((word) => word === '-h' || word === '--help' || word === '--');
  const flag = argv[index];
  if (flag === undefined || flag === '--') return argv;
  const rest = argv.slice(index + 1);
  const count = rest.findIndex((word) => word.startsWith('-'));
  const words = count === -1 ? rest : rest.slice(0, count);
  return [...argv.slice(0, index), ...words, flag, ...rest.slice(words.length)];
}

/** Declares every command below this one and returns it: for help, manual pages and completion. */
export function declareAll(command: AnyCommand): AnyCommand {
  declare(command);
  if (!command.parent) addGlobalFlags(command);
  for (const child of command.commands) declareAll(child as AnyCommand);
  return command;
}

/** The command that a command line selected last, by its program: the one whose words cannot be parsed. */
const selected = new WeakMap<AnyCommand, AnyCommand>();

const undeclared = new WeakMap<AnyCommand, CommandSpec>();

/** Declares a command once, and adds the names and summaries of its subcommands. */
function declare(command: AnyCommand): void {
  const spec = undeclared.get(command);
  if (!spec) return;
  undeclared.delete(command);
  const details = spec.describe();
  setDetails(command, details);
  details.declare?.(command as Command);
  if (!details.commands) return;
  for (const child of details.commands) {
    const { name, summary } = child;
    undeclared.set(command.command(name, { hidden: name.startsWith('_') }).description(summary) as AnyCommand, child);
  }
  // Global flags may precede or follow any word; only the selected command and its parents need them.
  command.hook('preSubcommand', (parent, child) => {
    selected.set(rootOf(child as AnyCommand), child as AnyCommand);
    declare(child as AnyCommand);
    if (!namesSubcommand(child as AnyCommand, parent)) addGlobalFlags(child as AnyCommand);
  });
}

/** Commander's codes after it printed help or the version; a group alone prints its help. */
const displayCodes = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

function isCommanderError(error: unknown): error is CommanderError {
  return String((error as CommanderError).code).startsWith('commander.');
}
