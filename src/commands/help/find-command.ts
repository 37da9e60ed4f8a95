import { suggestCommand } from '../../cli/suggest-command.js';
import { describeUnknownCommand } from '../../cli/unknown-command.js';
import { type CommandOutline, flattenOutline } from '../../docgen/outline.js';
import { topicNames } from '../../docgen/topic-names.js';
import { usageError } from '../../failure.js';

/**
 * Returns the command with these words, or with a page's name such as `petstore-pets-list`. Throws a usage error with
 * the most similar command or topic.
 */
export function findCommand(names: readonly string[], root: CommandOutline): CommandOutline {
  const [first, second] = names;
  const named = flattenOutline(root).find((outline) => outline.words.join('-') === first);
  if (named && second === undefined) return named;
  let found = root;
  for (const name of names) {
    const next = found.commands.find((command) => command.words.at(-1) === name);
    if (!next) {
      const commands = found.commands.map((command) => command.words.at(-1) as string);
      const parents = found.words.slice(1);
      const suggestion = suggestCommand(name, parents, found === root ? [...commands, ...topicNames] : commands);
      const hint =
        suggestion?.startsWith('-') === false
          ? ['did you mean "', { words: ['help', ...suggestion.split(' ')] }, '"?']
          : ['run ', { words: ['help', ...parents] }];
      throw usageError('unknown_command', describeUnknownCommand(name), hint);
    }
    found = next;
  }
  return found;
}
