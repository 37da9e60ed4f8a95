import { unknownCommand } from '../../cli/usage-errors.js';
import { type CommandOutline, flattenOutline } from '../../docgen/outline.js';
import { topicNames } from '../../docgen/topics.js';

/**
 * Returns the command with these words, or with a page's name such as `petstore-pets-list`. Throws a usage error with
 * the nearest command or topic.
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
