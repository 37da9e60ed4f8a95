import { usage } from '../../ports/failure.js';
import type { AnyCommand, Manual } from '../../ports/frame.js';
import type { Shown } from '../../ports/view.js';
import { type Outline, outlineOf } from '../../reference/outline.js';
import { commandPage, type Page, pageFile } from '../../reference/page.js';
import { formatPlain } from '../../reference/plain.js';
import { topics } from '../../reference/topics.js';
import { suggest } from '../../text/suggest.js';

/** The page of a command or of a topic; of petstore itself without words. */
export async function help(
  words: readonly string[],
  program: AnyCommand,
  manualOf: (command: AnyCommand) => Manual,
): Promise<Shown> {
  const page = findPage(words, outlineOf(program, manualOf));
  return { kind: 'page', file: pageFile(page), text: (width) => formatPlain(page, width) };
}

function findPage(words: readonly string[], root: Outline): Page {
  const topic = words.length === 1 && topics.find(({ name }) => name === `petstore-${words[0]}`);
  if (topic) return topic;
  let found = root;
  for (const word of words) {
    const below = found.commands.find((command) => command.words.at(-1) === word);
    if (!below) throw unknown(word, found, root);
    found = below;
  }
  return commandPage(found, root);
}

function unknown(word: string, within: Outline, root: Outline) {
  const names = within.commands.map((command) => command.words.at(-1) as string);
  const others = within === root ? topics.map(({ name }) => name.replace('petstore-', '')) : [];
  return usage(
    'unknown_command',
    `unknown command '${word}'`,
    suggest(word, [...names, ...others]),
  );
}
