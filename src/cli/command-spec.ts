import type { Command, Option } from '@commander-js/extra-typings';
import type { Column } from './command-result.js';

/** A Commander command with any options. */
// biome-ignore lint/suspicious/noExplicitAny: Commander's type parameters are invariant
export type AnyCommand = Command<any, any, any>;

/** A command or a group of commands. */
export interface CommandSpec {
  /** Left out of help, manual pages and completions if it starts with `_`. */
  readonly name: string;
  /** One sentence for help. */
  readonly summary: string;
  /** Called once a command line names the command, so that startup declares only the commands it needs. */
  readonly describe: () => CommandDetails;
}

/** What the command line, help, manual pages, completions and programs know of a command. */
export interface CommandDetails {
  readonly examples?: readonly (readonly [line: string, caption: string])[];
  /** True if the command can change data of the service or the sandbox. */
  readonly writes?: true;
  /**
   * The fields that the command prints: columns, the names that `--fields` takes, and its JSON in `help --json`. Missing if
   * it prints no JSON, empty if the service determines them.
   */
  readonly output?: readonly OutputField[];
  /** The environment variables that set the command's own flags, or only those in `flags`. */
  readonly variables?: { readonly prefix: string; readonly flags?: readonly string[] };
  /** Adds arguments, flags and the action. */
  declare?(command: Command): void;
  readonly commands?: readonly CommandSpec[];
  /** Only of `petstore` itself. */
  readonly commonWords?: ReadonlyMap<string, CommonWord>;
}

export function defineCommand(name: string, summary: string, describe: CommandSpec['describe']): CommandSpec {
  return { name, summary, describe };
}

/** A word that users of other command lines try first. */
export interface CommonWord {
  /** The words of the command that it means, without `petstore`. */
  readonly means: readonly string[];
  /** Why that command does not exist. */
  readonly problem?: string;
}

/** A field of the JSON that a command prints, or of each record in its list. It is a column of tables, too. */
export interface OutputField extends Column {
  /** A type of JSON, or several with ` | ` between them. */
  readonly type: string;
  readonly optional?: true;
}

const detailsOfCommands = new WeakMap<object, CommandDetails>();

export function setDetails(command: object, details: CommandDetails): void {
  detailsOfCommands.set(command, details);
}

/** Returns the details of a command that is declared. */
export function detailsOf(command: object): CommandDetails {
  return detailsOfCommands.get(command) as CommandDetails;
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
  const { variables } = detailsOf(command);
  const { long } = option;
  // Commander does not list the help flag.
  if (!variables || !long || !command.options.includes(option) || option.helpGroupHeading === globalGroup) {
    return undefined;
  }
  if (variables.flags && !variables.flags.includes(long)) return undefined;
  return variables.prefix + long.slice(2).replaceAll('-', '_').toUpperCase();
}
