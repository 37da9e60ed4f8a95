import type { Help } from '@commander-js/extra-typings';
import { formatDefinitionList, wrapText } from '../format/definition-list.js';
import { manualOf } from './command-spec.js';
import { withDefault } from './flags.js';

/** Returns the help of a command: usage, summary, examples, commands, arguments, own flags, global flags. */
export function helpText(command: unknown, help: Help): string {
  const shown = command as Parameters<Help['commandUsage']>[0];
  const width = help.helpWidth ?? 80;
  const list = (title: string, rows: readonly (readonly [string, string])[]) => {
    const items = rows.map(([term, text]) => ({ term, text }));
    return rows.length === 0 ? [] : [`${title}\n${formatDefinitionList(items, width).trimEnd()}`];
  };
  const examples = manualOf(shown).examples.map(([line, caption]) => `${wrapText(caption, '  # ', width)}  ${line}`);
  const options = help.visibleOptions(shown);
  const titles = [...new Set(options.map(({ helpGroupHeading }) => helpGroupHeading))];
  return `${[
    `Usage: ${help.commandUsage(shown).replace('[options]', '[flags]')}`,
    wrapText(help.commandDescription(shown), '', width).trimEnd(),
    ...(examples.length > 0 ? [`Examples:\n${examples.join('\n')}`] : []),
    ...list(
      'Commands:',
      help
        .visibleCommands(shown)
        .map((one) => [help.subcommandTerm(one).replace(' [options]', ''), help.subcommandDescription(one)]),
    ),
    ...list(
      'Arguments:',
      help.visibleArguments(shown).map((one) => [help.argumentTerm(one), help.argumentDescription(one)]),
    ),
    ...titles.flatMap((title) =>
      list(
        title ?? 'Flags:',
        options
          .filter(({ helpGroupHeading }) => helpGroupHeading === title)
          .map((one) => [help.optionTerm(one), withDefault(one)]),
      ),
    ),
    ...list('Learn more:', learnMore(shown)),
  ].join('\n\n')}\n`;
}

function learnMore(command: { name(): string; parent: unknown }): readonly [string, string][] {
  const words: string[] = [];
  for (let at = command; at.parent; at = at.parent as typeof command) words.unshift(at.name());
  return [
    [['petstore help', ...words].join(' '), 'the manual page'],
    ['petstore help exit-codes', 'a topic; also: environment, formats'],
  ];
}
