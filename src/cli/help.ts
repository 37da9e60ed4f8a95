import type { Help } from '@commander-js/extra-typings';
import type { AnyCommand } from '../ports/frame.js';

type Examples = readonly (readonly [command: string, purpose: string])[];

const known = new WeakMap<object, Examples>();

/** Keeps a command's examples beside it; Commander has no place for them. */
export function setExamples(command: AnyCommand, examples: Examples): void {
  known.set(command, examples);
}

/** The help of a command: usage, purpose, examples, commands, arguments, its flags, then the global ones. */
export function helpText(command: unknown, help: Help): string {
  const shown = command as Parameters<Help['commandUsage']>[0];
  const width = help.helpWidth ?? 80;
  const list = (title: string, rows: readonly (readonly [string, string])[]) => {
    const longest = Math.max(...rows.map(([term]) => term.length));
    return rows.length === 0
      ? []
      : [
          `${title}\n${rows.map(([term, text]) => help.formatItem(term, longest, text, help)).join('\n')}`,
        ];
  };
  const examples = (known.get(shown) ?? []).map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
  const options = help.visibleOptions(shown);
  const titles = [...new Set(options.map(({ helpGroupHeading }) => helpGroupHeading))];
  return `${[
    `Usage: ${help.commandUsage(shown).replace('[options]', '[flags]')}`,
    help.boxWrap(help.commandDescription(shown), width),
    ...(examples.length > 0 ? [`Examples:\n${examples.join('\n')}`] : []),
    ...list(
      'Commands:',
      help
        .visibleCommands(shown)
        .map((one) => [
          help.subcommandTerm(one).replace(' [options]', ''),
          help.subcommandDescription(one),
        ]),
    ),
    ...list(
      'Arguments:',
      help
        .visibleArguments(shown)
        .map((one) => [help.argumentTerm(one), help.argumentDescription(one)]),
    ),
    ...titles.flatMap((title) =>
      list(
        title ?? 'Flags:',
        options
          .filter(({ helpGroupHeading }) => helpGroupHeading === title)
          .map((one) => [help.optionTerm(one), help.optionDescription(one)]),
      ),
    ),
  ].join('\n\n')}\n`;
}
