import type { CommandResult } from '../../cli/command-result.js';
import type { AnyCommand } from '../../cli/command-spec.js';
import { flatten, type Outline, outlineOf } from '../../docgen/outline.js';
import { commandPage, type Page, pageFile } from '../../docgen/page.js';
import { formatPlain } from '../../docgen/plain.js';
import { topicNames } from '../../docgen/topic-names.js';
import { topics } from '../../docgen/topics.js';
import { type Failure, usageError } from '../../failure.js';
import { suggestSimilar } from '../../format/suggest.js';

/** The page of a command or of a topic, by words or by the page's own name; of petstore itself without words. */
export async function help(words: readonly string[], program: AnyCommand): Promise<CommandResult> {
  const page = findPage(words, outlineOf(program));
  return { kind: 'page', file: pageFile(page), text: (width) => formatPlain(page, width) };
}

function findPage(words: readonly string[], root: Outline): Page {
  const [first, second] = words;
  const named = flatten(root).find((outline) => outline.words.join('-') === first);
  if (named && second === undefined) return commandPage(named, root);
  const topic = topicNames.find((name) => name === first || topics[name].name === first);
  if (topic && second === undefined) return topics[topic];
  if (topic) throw usageError('too_many_words', `${topic} is a topic: nothing follows it`);
  let found = root;
  for (const word of words) {
    const below = found.commands.find((command) => command.words.at(-1) === word);
    if (!below) throw unknown(word, found, root);
    found = below;
  }
  return commandPage(found, root);
}

function unknown(word: string, within: Outline, root: Outline): Failure {
  const names = within.commands.map((command) => command.words.at(-1) as string);
  const known = within === root ? [...names, ...topicNames] : names;
  return usageError('unknown_command', `unknown command '${word}'`, suggestSimilar(word, known));
}
