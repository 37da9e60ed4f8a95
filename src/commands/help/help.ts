import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { AnyCommand } from '../../cli/command-spec.js';
import { describeUnknownCommand, suggestCommand } from '../../cli/usage-errors.js';
import { formatPlainPage } from '../../docgen/format-plain-page.js';
import { buildCommandPage, type ManPage, manPageFile } from '../../docgen/man-page.js';
import { type CommandOutline, flattenOutline, outlineCommand } from '../../docgen/outline.js';
import { topicNames } from '../../docgen/topic-names.js';
import { topicPages } from '../../docgen/topic-pages.js';
import { usageError } from '../../failure.js';

/** Returns the manual page of a command or topic. */
export async function help(
  { flags }: AppContext,
  names: readonly string[],
  program: AnyCommand,
): Promise<CommandResult> {
  if ((flags.output ?? 'table') !== 'table') {
    throw usageError('invalid_flag', `help prints text, not ${flags.output}`, 'remove --json or --output');
  }
  const page = findPage(names, outlineCommand(program));
  return { kind: 'page', file: manPageFile(page), text: (width) => formatPlainPage(page, width) };
}

function findPage(names: readonly string[], root: CommandOutline): ManPage {
  const [first, second] = names;
  // Pages have names such as petstore-pets-list.
  const named = flattenOutline(root).find((outline) => outline.words.join('-') === first);
  if (named && second === undefined) return buildCommandPage(named, root);
  const topic = topicNames.find((name) => name === first || topicPages[name].name === first);
  if (topic && second === undefined) return topicPages[topic];
  if (topic)
    throw usageError('too_many_words', `${topic} is a topic, not a group of commands`, `run petstore help ${topic}`);
  let found = root;
  for (const name of names) {
    const next = found.commands.find((command) => command.words.at(-1) === name);
    if (!next) {
      const commands = found.commands.map((command) => command.words.at(-1) as string);
      const parents = found.words.slice(1);
      const suggestion = suggestCommand(name, parents, found === root ? [...commands, ...topicNames] : commands);
      const hint =
        suggestion?.startsWith('-') === false
          ? `did you mean "petstore help ${suggestion}"?`
          : `run ${['petstore help', ...parents].join(' ')}`;
      throw usageError('unknown_command', describeUnknownCommand(name), hint);
    }
    found = next;
  }
  return buildCommandPage(found, root);
}
