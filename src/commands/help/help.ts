import type { CommandResult } from '../../cli/command-result.js';
import type { AnyCommand } from '../../cli/command-spec.js';
import { flatten, type Outline, outlineOf } from '../../docgen/outline.js';
import { commandPage, type Page, pageFile } from '../../docgen/page.js';
import { formatPlain } from '../../docgen/plain.js';
import { topicNames } from '../../docgen/topic-names.js';
import { topics } from '../../docgen/topics.js';
import { usageError } from '../../failure.js';
import { suggestSimilar } from '../../format/suggest.js';

/** Returns the manual page of a command or topic. */
export async function help(names: readonly string[], program: AnyCommand): Promise<CommandResult> {
  const page = findPage(names, outlineOf(program));
  return { kind: 'page', file: pageFile(page), text: (width) => formatPlain(page, width) };
}

function findPage(names: readonly string[], root: Outline): Page {
  const [first, second] = names;
  // Pages have names such as petstore-pets-list.
  const named = flatten(root).find((outline) => outline.words.join('-') === first);
  if (named && second === undefined) return commandPage(named, root);
  const topic = topicNames.find((name) => name === first || topics[name].name === first);
  if (topic && second === undefined) return topics[topic];
  if (topic) throw usageError('too_many_words', `${topic} is a topic: nothing follows it`);
  let found = root;
  for (const name of names) {
    const next = found.commands.find((command) => command.words.at(-1) === name);
    if (!next) {
      const commands = found.commands.map((command) => command.words.at(-1) as string);
      const hint = suggestSimilar(name, found === root ? [...commands, ...topicNames] : commands);
      throw usageError('unknown_command', `unknown command '${name}'`, hint);
    }
    found = next;
  }
  return commandPage(found, root);
}
