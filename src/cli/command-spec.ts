import type { Command, Option } from '@commander-js/extra-typings';
import type { Column } from './command-result.js';

/** A Commander command with any options. */
// biome-ignore lint/suspicious/noExplicitAny: Commander's type parameters are invariant
export type AnyCommand = Command<any, any, any>;

/** A Commander command whose action gets these arguments and flags, for functions that add flags. */
export type TypedCommand<
  Arguments extends unknown[],
  Flags extends FlagValues,
  GlobalFlags extends FlagValues,
> = Command<Arguments, Flags, GlobalFlags>;

export type FlagValues = Readonly<Record<string, unknown>>;

/** A command or a group of commands. `declare` runs once a command line names it, so that startup declares only the commands it needs. */
export interface CommandSpec {
  readonly name: string;
  /** One sentence for help. */
  readonly summary: string;
  /** Left out of help, manual pages and completions. */
  readonly isHidden?: true;
  /** Adds arguments, flags, the action, examples and subcommands. */
  declare(command: Command): void;
}

export function defineCommand(name: string, summary: string, declare: CommandSpec['declare']): CommandSpec {
  return { name, summary, declare };
}

/** A word that users of other command lines try first. */
export interface CommonWord {
  /** The words of the command that it means, without `petstore`. */
  readonly means: readonly string[];
  /** Why that command does not exist. */
  readonly problem?: string;
}

/** What help, manual pages and error messages show beside Commander's own texts. */
export interface CommandManual {
  readonly examples: readonly (readonly [line: string, caption: string])[];
  /** True if the command can change data of the service or the sandbox. */
  readonly writes?: true;
  /** The fields that the command prints; missing if it prints no JSON, empty if the service determines them. */
  readonly output?: readonly OutputField[];
  readonly variables?: FlagVariables;
  /** Only of `petstore` itself. */
  readonly commonWords?: ReadonlyMap<string, CommonWord>;
}

/** A field of the JSON that a command prints, or of each record in its list. It is a column of tables, too. */
export interface OutputField extends Column {
  /** A type of JSON, or several with ` | ` between them. */
  readonly type: string;
  readonly optional?: true;
}

/** The environment variables that set flags of a command. */
export interface FlagVariables {
  /** Precedes the name of the flag: `PETSTORE_SERVE_`. */
  readonly prefix: string;
  /** The flags that have a variable; missing for all of the command's own flags. */
  readonly flags?: readonly string[];
}

const manuals = new WeakMap<object, CommandManual>();

export function addExamples(command: object, examples: CommandManual['examples']): void {
  manuals.set(command, { ...manualOf(command), examples });
}

/** Marks a command that can change data of the service or the sandbox. */
export function markAsWriting(command: object): void {
  manuals.set(command, { ...manualOf(command), writes: true });
}

/** Declares what a command prints: its columns, the names that `--fields` takes, and its JSON in `help --json`. */
export function addOutput(command: object, output: readonly OutputField[]): void {
  manuals.set(command, { ...manualOf(command), output });
}

/** Gives flags of a command environment variables, which its action reads when it runs. */
export function addVariables(command: object, variables: FlagVariables): void {
  manuals.set(command, { ...manualOf(command), variables });
}

export function addCommonWords(program: object, commonWords: ReadonlyMap<string, CommonWord>): void {
  manuals.set(program, { ...manualOf(program), commonWords });
}

export function manualOf(command: object): CommandManual {
  return manuals.get(command) ?? { examples: [] };
}

/** Returns the words of a command: `petstore`, `pets`, `list`. */
export function commandPath(command: AnyCommand): readonly string[] {
  return lineageOf(command).map((each) => each.name());
}

/** Returns the command after its parents, `petstore` first. */
export function lineageOf(command: AnyCommand): readonly AnyCommand[] {
  return command.parent ? [...lineageOf(command.parent as AnyCommand), command] : [command];
}

/** Returns `petstore` itself, above any of its commands. */
export function rootOf(command: AnyCommand): AnyCommand {
  return command.parent ? rootOf(command.parent as AnyCommand) : command;
}

/** The heading of the global flags in help. */
export const globalGroup = 'Global flags:';

/** The heading of flags that only the manual page shows. */
export const deploymentGroup = 'Deployment flags:';

/** Returns the environment variable that sets a flag: `PETSTORE_SERVE_ALLOW_HOST` for `--allow-host` of `serve`. */
export function variableOf(command: AnyCommand, option: Option): string | undefined {
  const { variables } = manualOf(command);
  const { long } = option;
  // Commander does not list the help flag.
  if (!variables || !long || !command.options.includes(option) || option.helpGroupHeading === globalGroup) {
    return undefined;
  }
  if (variables.flags && !variables.flags.includes(long)) return undefined;
  return variables.prefix + long.slice(2).replaceAll('-', '_').toUpperCase();
}
