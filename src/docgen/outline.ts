import { type AnyCommand, type CommandDetails, detailsOf, globalGroup, variableOf } from '../cli/command-spec.js';
import { type Completes, parserHints, withDefault } from '../cli/flags.js';
import type { NumberRange } from '../config/setting-types.js';

/** A command as manual pages and the docs describe it. */
export interface CommandOutline extends Pick<CommandDetails, 'writes' | 'output'> {
  /** The words of the command, `petstore` first. */
  readonly words: readonly string[];
  /** One sentence. */
  readonly summary: string;
  readonly examples: NonNullable<CommandDetails['examples']>;
  readonly arguments: readonly ArgumentOutline[];
  /** The command's own flags; the root has the global ones. */
  readonly flags: readonly FlagOutline[];
  readonly commands: readonly CommandOutline[];
}

/** The values that an argument or a flag takes. */
interface ValueOutline {
  readonly description: string;
  readonly completes?: Completes | undefined;
  readonly range?: NumberRange | undefined;
  readonly isRepeatable: boolean;
}

export interface ArgumentOutline extends ValueOutline {
  readonly name: string;
  /** Required without a terminal; a prompt may ask for it. */
  readonly isRequired: boolean;
  /** The name in brackets: `<file>`, `[petId]`, `[command...]`. */
  readonly term: string;
}

export interface FlagOutline extends ValueOutline {
  /** `-p`, `--profile`, or both. */
  readonly names: readonly string[];
  /** The placeholder in brackets: `<name>`; undefined for a switch. */
  readonly value?: string | undefined;
  readonly group?: string | undefined;
  readonly defaultValue?: unknown;
  /** The environment variable that sets it, if only this command reads the variable. */
  readonly variable?: string | undefined;
}

/** Outlines a command and its subcommands, without hidden ones. */
export function outlineCommand(command: AnyCommand, parents: readonly string[] = []): CommandOutline {
  const words = [...parents, command.name()];
  const { examples = [], writes, output } = detailsOf(command);
  const visible = command.createHelp().visibleCommands(command);
  return {
    words,
    summary: command.description(),
    examples,
    ...(writes && { writes }),
    ...(output && { output }),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      isRequired: argument.required || parserHints(argument).isPrompted === true,
      term: bracketed(argument.name() + (argument.variadic ? '...' : ''), argument.required),
      description: argument.description,
      isRepeatable: argument.variadic,
      completes: parserHints(argument).completes,
      range: parserHints(argument).range,
    })),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        names: [option.short, option.long].filter((name) => name !== undefined),
        value: /[<[].*$/.exec(option.flags)?.[0],
        description: withDefault(option),
        group: option.helpGroupHeading,
        defaultValue: option.defaultValue,
        variable: variableOf(command, option),
        isRepeatable: parserHints(option).repeats === true,
        completes: parserHints(option).completes,
        range: parserHints(option).range,
      }))
      // Commands that are about to run or to print help also have the global flags.
      .filter(({ names, group }) => parents.length === 0 || (group !== globalGroup && !names.includes('--help'))),
    commands: command.commands
      .filter((child) => visible.includes(child))
      .map((child) => outlineCommand(child as AnyCommand, words)),
  };
}

/** Returns whether the command does something itself. A group with flags also runs without a subcommand. */
export function isRunnable({ words, commands, flags }: CommandOutline): boolean {
  return commands.length === 0 || (words.length > 1 && flags.length > 0);
}

/** Returns the command and all its descendants, in the order of the help. */
export function flattenOutline(outline: CommandOutline): readonly CommandOutline[] {
  return [outline, ...outline.commands.flatMap(flattenOutline)];
}

function bracketed(name: string, required: boolean): string {
  return required ? `<${name}>` : `[${name}]`;
}
