import type { AppContext } from '../../app/context.js';
import type { AnyCommand } from '../../cli/command-spec.js';
import { unknownCommand } from '../../cli/usage-errors.js';
import { describeCommands, describeProgram } from '../../docgen/command-tree.js';
import { formatPlainPage } from '../../docgen/format-plain-page.js';
import { buildCommandPage } from '../../docgen/man-page.js';
import { type CommandOutline, flattenOutline, outlineCommand } from '../../docgen/outline.js';
import { buildTopicPages } from '../../docgen/topic-pages.js';
import { type Topic, topicNames } from '../../docgen/topics.js';
import { usageError } from '../../failure.js';

/** Shows the manual page of a command or topic; in a machine format, prints the description of the commands for programs. */
export async function help(context: AppContext, names: readonly string[], program: AnyCommand): Promise<void> {
  const { flags } = context;
  const root = outlineCommand(program);
  const subject = findTopic(names) ?? findCommand(names, root);
  if ((flags.output ?? 'table') === 'table') {
    const { stdout, showPage } = context.runtime.terminal;
    return showPage(await formatSubject(subject, root, stdout.columns));
  }
  if (typeof subject === 'string') {
    const hint = ['remove --json or --output, or run ', { words: ['help', '--json'] }];
    throw usageError('invalid_flag', `help ${subject} prints text, not ${flags.output}`, hint);
  }
  const commands = describeCommands(subject);
  await context.print({
    kind: 'records',
    columns: context.columns,
    document: { commands, ...(subject === root && describeProgram(root)) },
    records: commands,
    emptyMessage: '',
  });
}

async function formatSubject(subject: Topic | CommandOutline, root: CommandOutline, width?: number): Promise<string> {
  if (subject === 'agents') return (await import('../../../SKILL.md')).default;
  const page = typeof subject === 'string' ? buildTopicPages()[subject] : buildCommandPage(subject, root);
  return formatPlainPage(page, width);
}

function findTopic([first, second]: readonly string[]): Topic | undefined {
  const topic = topicNames.find((name) => name === first || `petstore-${name}` === first);
  if (topic === undefined || second === undefined) return topic;
  throw usageError('invalid_argument', `${topic} is a topic, not a group of commands`, [
    'run ',
    { words: ['help', topic] },
  ]);
}

/**
 * Returns the command with these words, or with a page's name such as `petstore-pets-list`. Throws a usage error with
 * the nearest command or topic.
 */
function findCommand(names: readonly string[], root: CommandOutline): CommandOutline {
  const [first, second] = names;
  const named = flattenOutline(root).find((outline) => outline.words.join('-') === first);
  if (named && second === undefined) return named;
  let found = root;
  for (const name of names) {
    const next = found.commands.find((command) => command.words.at(-1) === name);
    if (!next) {
      const commands = found.commands.map((command) => command.words.at(-1) as string);
      const parents = found.words.slice(1);
      throw unknownCommand(name, {
        parents,
        names: found === root ? [...commands, ...topicNames] : commands,
        help: { words: ['help', ...parents] },
        before: ['help'],
      });
    }
    found = next;
  }
  return found;
}
