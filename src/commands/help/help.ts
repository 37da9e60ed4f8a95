import type { CommandResult } from '../../cli/command-result.js';
import type { AnyCommand } from '../../cli/command-spec.js';
import { formatPlainPage } from '../../docgen/format-plain-page.js';
import { buildCommandPage, type ManPage, manPageFile } from '../../docgen/man-page.js';
import { type CommandOutline, flattenOutline, outlineCommand } from '../../docgen/outline.js';
import { topicNames } from '../../docgen/topic-names.js';
import { topicPages } from '../../docgen/topic-pages.js';
import { type Failure, usageError } from '../../failure.js';
import { suggestSimilar } from '../../format/suggest.js';

/** The page of a command or of a topic, by words or by the page's own name; of petstore itself without words. */
export async function help(words: readonly string[], program: AnyCommand): Promise<CommandResult> {
  const page = findPage(words, outlineCommand(program));
  return { kind: 'page', file: manPageFile(page), text: (width) => formatPlainPage(page, width) };
}

function findPage(words: readonly string[], root: CommandOutline): ManPage {
  const [first, second] = words;
  const named = flattenOutline(root).find((outline) => outline.words.join('-') === first);
  if (named && second === undefined) return buildCommandPage(named, root);
  const topic = topicNames.find((name) => name === first || topicPages[name].name === first);
  if (topic && second === undefined) return topicPages[topic];
  if (topic) throw usageError('too_many_words', `${topic} is a topic: nothing follows it`);
  let found = root;
  for (const word of words) {
    const below = found.commands.find((command) => command.words.at(-1) === word);
    if (!below) throw unknown(word, found, root);
    found = below;
  }
  return buildCommandPage(found, root);
}

function unknown(word: string, within: CommandOutline, root: CommandOutline): Failure {
  const names = within.commands.map((command) => command.words.at(-1) as string);
  const known = within === root ? [...names, ...topicNames] : names;
  return usageError('unknown_command', `unknown command '${word}'`, suggestSimilar(word, known));
}
