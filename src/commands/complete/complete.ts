import type { AnyCommand } from '../../cli/command-spec.js';
import { outlineCommand } from '../../docgen/outline.js';
import { type Completion, type CompletionValues, findCompletion } from './candidates.js';

/** Returns what `petstore __complete` prints; never rejects. */
export async function complete(
  words: readonly string[],
  program: AnyCommand,
  openValues: () => Promise<CompletionValues>,
): Promise<string> {
  try {
    return formatCompletion(await findCompletion(words, outlineCommand(program), openValues));
  } catch {
    // A Tab must not print an error in the middle of a line.
    return formatCompletion({ candidates: [], directive: 'done' });
  }
}

/** Returns the lines of a completion, without candidates that a terminal must not show. */
export function formatCompletion({ candidates, directive }: Completion): string {
  const lines = candidates
    .filter(({ value }) => !unprintable.test(value))
    .map(({ value, description }) => (description ? `${value}\t${description}` : value));
  return `${[...lines, `:${directive}`].join('\n')}\n`;
}

/** Controls, bidi and zero-width characters, lone surrogates, line and paragraph separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
