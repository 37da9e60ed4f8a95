import type { Help } from '@commander-js/extra-typings';
import { formatDefinitionList, margins, wrapMessage } from '../format/wrap.js';
import { type AnyCommand, commandPath, globalGroup, manualOf } from './command-spec.js';
import { withDefault } from './flags.js';

/** Returns the help of a command: usage, summary, examples, commands, arguments and its own flags. */
export function helpText(command: unknown, help: Help): string {
  const shown = command as Parameters<Help['commandUsage']>[0];
  const width = help.helpWidth ?? 80;
  const list = (title: string, rows: readonly (readonly [string, string])[]) => {
    const items = rows.map(([term, text]) => ({ term, text }));
    return rows.length === 0 ? [] : [`${title}\n${formatDefinitionList(items, width).trimEnd()}`];
  };
  const examples = manualOf(shown).examples.map(
    ([line, caption]) => `${wrapMessage(caption, width, margins('  # '))}  ${line}`,
  );
  const isRoot = !shown.parent;
  const options = help.visibleOptions(shown).filter((one) => isRoot || one.helpGroupHeading !== globalGroup);
  const titles = [...new Set(options.map(({ helpGroupHeading }) => helpGroupHeading))];
  return `${[
    wrapMessage(`Usage: ${help.commandUsage(shown).replace('[options]', '[flags]')}`, width, margins('')).trimEnd(),
    wrapMessage(help.commandDescription(shown), width, margins('')).trimEnd(),
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
    ['Learn more:', ...learnMore(shown as AnyCommand, width)].join('\n  '),
  ].join('\n\n')}\n`;
}

function learnMore(command: AnyCommand, width: number): readonly string[] {
  const pages = command.parent
    ? ['Global flags (--profile, --output, --quiet, …)', 'petstore --help']
    : ['Topics (exit-codes, environment, errors, agents)', 'petstore help <topic>'];
  const manual = ['Manual page', ['petstore help', ...commandPath(command).slice(1)].join(' ')];
  return [pages, manual].map(([title, line]) => {
    const whole = `${title}: ${line}`;
    // A command stays on one line, to be copied.
    return whole.length + 2 <= width ? whole : `${wrapMessage(`${title}:`, width, margins('  ')).trim()}\n    ${line}`;
  });
}
