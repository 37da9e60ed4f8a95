import type { Help } from '@commander-js/extra-typings';
import type { AnyCommand, Manual } from '../ports/frame.js';

/** What Commander has no place for, kept beside each command. */
const manuals = new WeakMap<object, Manual>();

export function addExamples(command: AnyCommand, examples: Manual['examples']): void {
  manuals.set(command, { ...manualOf(command), examples });
}

export function addNotes(command: AnyCommand, ...notes: Manual['notes']): void {
  manuals.set(command, { ...manualOf(command), notes });
}

export function manualOf(command: object): Manual {
  return manuals.get(command) ?? { examples: [], notes: [] };
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
  const examples = manualOf(shown).examples.map(([line, purpose]) => `  # ${purpose}\n  ${line}`);
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
    `Learn more:\n${learnMore(shown)}`,
  ].join('\n\n')}\n`;
}

/** Where the rest is told. */
function learnMore(command: { name(): string; parent: unknown }): string {
  const words: string[] = [];
  for (let at = command; at.parent; at = at.parent as typeof command) words.unshift(at.name());
  const page = `petstore help ${words.join(' ')}`.trimEnd();
  return [
    [page, 'the manual page'],
    ['petstore help exit-codes', 'also: environment, formats'],
  ]
    .map(([line = '', purpose]) => `  ${line.padEnd(Math.max(page.length, 24))}  ${purpose}`)
    .join('\n');
}
