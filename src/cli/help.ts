import type { Help } from '@commander-js/extra-typings';
import { formatDefinitionList, wrapMessage } from '../format/wrap.js';
import { type AnyCommand, commandPath, deploymentGroup, detailsOf, globalGroup } from './command-spec.js';
import { withDefault } from './flags.js';

/**
 * Returns the help of a command: usage, summary, examples, commands, arguments and its own flags. That of petstore itself
 * fits a small terminal: it has only the flags that everyone needs, and no captions.
 */
export function helpText(command: unknown, help: Help): string {
  const shown = command as Parameters<Help['commandUsage']>[0];
  const width = help.helpWidth ?? 80;
  const list = (title: string, rows: readonly (readonly [string, string])[]) => {
    const items = rows.map(([term, text]) => ({ term, text }));
    return rows.length === 0 ? [] : [`${title}\n${formatDefinitionList(items, width).trimEnd()}`];
  };
  const isRoot = !shown.parent;
  const examples = (detailsOf(shown).examples ?? []).map(([line, caption]) =>
    isRoot ? `  ${line}` : `${wrapMessage(caption, width, '  # ', '  # ')}  ${line}`,
  );
  const options = help
    .visibleOptions(shown)
    .filter(({ long, helpGroupHeading }) =>
      isRoot ? rootFlags.includes(long ?? '') : !hiddenGroups.includes(helpGroupHeading ?? ''),
    )
    .map((one) => ({ title: isRoot ? 'Flags:' : (one.helpGroupHeading ?? 'Flags:'), one }));
  const titles = [...new Set(options.map(({ title }) => title))];
  return `${[
    wrapMessage(`Usage: ${help.commandUsage(shown).replace('[options]', '[flags]')}`, width, '', '').trimEnd(),
    wrapMessage(help.commandDescription(shown), width, '', '').trimEnd(),
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
        title,
        options.filter((each) => each.title === title).map(({ one }) => [help.optionTerm(one), withDefault(one)]),
      ),
    ),
    formatReferences(shown as AnyCommand, width),
  ].join('\n\n')}\n`;
}

const rootFlags = ['--profile', '--output', '--json', '--jq', '--fields', '--quiet', '--yes', '--help'];

const hiddenGroups = [globalGroup, deploymentGroup];

/** Returns where to read more. A command stays on one line, to be copied. */
function formatReferences(command: AnyCommand, width: number): string {
  const page = ['petstore help', ...commandPath(command).slice(1)].join(' ');
  const pages = command.parent ? [page, 'petstore help (global flags)'] : [page, 'petstore help <command>'];
  const line = `Learn more: ${pages.join(', ')}`;
  return line.length <= width ? line : ['Learn more:', ...pages].join('\n  ');
}
