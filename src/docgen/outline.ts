import { type AnyCommand, type CommandManual, manualOf } from '../cli/command-spec.js';
import { type Completes, globalGroup, parserHints, withDefault } from '../cli/flags.js';

/** A command as manual pages and the docs describe it. */
export interface CommandOutline extends CommandManual {
  /** The words of the command, `petstore` first. */
  readonly words: readonly string[];
  /** One sentence. */
  readonly summary: string;
  readonly arguments: readonly ArgumentOutline[];
  /** The command's own flags; the root has the global ones. */
  readonly flags: readonly FlagOutline[];
  readonly commands: readonly CommandOutline[];
}

interface ArgumentOutline {
  /** The name in brackets: `<file>`, `[petId]`, `[command...]`. */
  readonly term: string;
  readonly description: string;
  readonly completes?: Completes | undefined;
}

export interface FlagOutline {
  /** `-p`, `--profile`, or both. */
  readonly names: readonly string[];
  /** The placeholder in brackets: `<name>`; undefined for a switch. */
  readonly value?: string | undefined;
  readonly description: string;
  readonly group?: string | undefined;
  readonly isRepeatable: boolean;
  readonly completes?: Completes | undefined;
}

/** Outlines a command and its subcommands, without hidden ones. */
export function outlineCommand(command: AnyCommand, parents: readonly string[] = []): CommandOutline {
  const words = [...parents, command.name()];
  const visible = command.createHelp().visibleCommands(command);
  return {
    words,
    summary: command.description(),
    ...manualOf(command),
    arguments: command.registeredArguments.map((argument) => ({
      term: bracketed(argument.name() + (argument.variadic ? '...' : ''), argument.required),
      description: argument.description,
      completes: parserHints(argument).completes,
    })),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        names: [option.short, option.long].filter((name) => name !== undefined),
        value: /[<[].*$/.exec(option.flags)?.[0],
        description: withDefault(option),
        group: option.helpGroupHeading,
        isRepeatable: parserHints(option).repeats === true,
        completes: parserHints(option).completes,
      }))
      // Commands that are about to run or to print help also have the global flags.
      .filter(({ names, group }) => parents.length === 0 || (group !== globalGroup && !names.includes('--help'))),
    commands: command.commands
      .filter((child) => visible.includes(child))
      .map((child) => outlineCommand(child as AnyCommand, words)),
  };
}

/** Returns the command and all its descendants, in the order of the help. */
export function flattenOutline(outline: CommandOutline): readonly CommandOutline[] {
  return [outline, ...outline.commands.flatMap(flattenOutline)];
}

function bracketed(name: string, required: boolean): string {
  return required ? `<${name}>` : `[${name}]`;
}
