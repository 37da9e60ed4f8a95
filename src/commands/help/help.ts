import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { AnyCommand } from '../../cli/command-spec.js';
import { describeCommands, describeProgram } from '../../docgen/command-tree.js';
import { formatPlainPage } from '../../docgen/format-plain-page.js';
import { buildCommandPage } from '../../docgen/man-page.js';
import { outlineCommand } from '../../docgen/outline.js';
import { buildTopicPages } from '../../docgen/topic-pages.js';
import { type Topic, topicNames } from '../../docgen/topics.js';
import { usageError } from '../../failure.js';
import { singleBatch } from '../records.js';
import { findCommand } from './find-command.js';

/** Returns the manual page of a command or topic; in a machine format, the description of the commands for programs. */
export async function help(context: AppContext, names: readonly string[], program: AnyCommand): Promise<CommandResult> {
  const { flags } = context;
  const root = outlineCommand(program);
  const subject = findTopic(names) ?? findCommand(names, root);
  if ((flags.output ?? 'table') === 'table') {
    if (subject === 'agents') {
      const { default: skill } = await import('../../../SKILL.md');
      return { kind: 'page', text: () => skill };
    }
    const page = typeof subject === 'string' ? buildTopicPages()[subject] : buildCommandPage(subject, root);
    return { kind: 'page', text: (width) => formatPlainPage(page, width) };
  }
  if (typeof subject === 'string') {
    const hint = ['remove --json or --output, or run ', { words: ['help', '--json'] }];
    throw usageError('invalid_flag', `help ${subject} prints text, not ${flags.output}`, hint);
  }
  const commands = describeCommands(subject);
  return {
    kind: 'records',
    columns: context.columns,
    document: { commands, ...(subject === root && describeProgram(root)) },
    batches: singleBatch(commands),
    emptyMessage: '',
  };
}

function findTopic([first, second]: readonly string[]): Topic | undefined {
  const topic = topicNames.find((name) => name === first || `petstore-${name}` === first);
  if (topic === undefined || second === undefined) return topic;
  throw usageError('invalid_argument', `${topic} is a topic, not a group of commands`, [
    'run ',
    { words: ['help', topic] },
  ]);
}
