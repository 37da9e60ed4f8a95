import { type AnyCommand, type CommandManual, manualOf } from '../cli/command-spec.js';
import { type Completes, globalGroup, withDefault } from '../cli/flag-parsers.js';

/** A command as manual, help and completions see it: words alone, nothing that runs. */
export interface Outline extends CommandManual {
  /** From `petstore` on. */
  readonly words: readonly string[];
  /** One sentence. */
  readonly purpose: string;
  readonly arguments: readonly ArgumentOutline[];
  /** Its own flags; those that every command takes are the root's. */
  readonly flags: readonly FlagOutline[];
  readonly commands: readonly Outline[];
}

interface ArgumentOutline {
  /** With its brackets: `<file>`, `[petId]`, `[command...]`. */
  readonly term: string;
  readonly purpose: string;
  readonly completes?: Completes | undefined;
}

export interface FlagOutline {
  /** `-p`, `--profile`, or both. */
  readonly names: readonly string[];
  /** With its brackets: `<name>`; nothing for a switch. */
  readonly value?: string | undefined;
  readonly purpose: string;
  readonly group?: string | undefined;
  /** May be given again and again. */
  readonly repeats: boolean;
  readonly completes?: Completes | undefined;
}

/** The outline of a command and of all below it. */
export function outlineOf(command: AnyCommand, above: readonly string[] = []): Outline {
  const words = [...above, command.name()];
  const visible = command.createHelp().visibleCommands(command);
  return {
    words,
    purpose: command.description(),
    ...manualOf(command),
    arguments: command.registeredArguments.map((one) => ({
      term: bracketed(one.name() + (one.variadic ? '...' : ''), one.required),
      purpose: one.description,
      completes: hintsOf(one).completes,
    })),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        names: [option.short, option.long].filter((name) => name !== undefined),
        value: /[<[].*$/.exec(option.flags)?.[0],
        purpose: withDefault(option),
        group: option.helpGroupHeading,
        repeats: hintsOf(option).repeats === true,
        completes: hintsOf(option).completes,
      }))
      // A command that is about to run has the root's as well.
      .filter(
        ({ names, group }) =>
          above.length === 0 || (group !== globalGroup && !names.includes('--help')),
      ),
    commands: command.commands
      .filter((child) => visible.includes(child))
      .map((child) => outlineOf(child as AnyCommand, words)),
  };
}

/** The command and all below it, in the order in which help shows them. */
export function flatten(outline: Outline): readonly Outline[] {
  return [outline, ...outline.commands.flatMap(flatten)];
}

interface Hints {
  readonly completes?: Completes;
  readonly repeats?: true;
}

/** Commander keeps what parses a value, and a parser of ours tells more of it (`ports/flag.ts`). */
function hintsOf(parsed: object): Hints {
  return (parsed as { parseArg?: Hints }).parseArg ?? {};
}

function bracketed(name: string, required: boolean): string {
  return required ? `<${name}>` : `[${name}]`;
}
