import { closest, distance } from 'fastest-levenshtein';

/** Returns `did you mean "sold"?` for the most similar known word, or nothing if none is similar. */
export function suggestSimilar(word: string, known: readonly string[]): string | undefined {
  const similar = findSimilar(word, known);
  return similar === undefined ? undefined : `did you mean "${similar}"?`;
}

/**
 * Returns the most similar known word, if any is similar. With `isStrict` only the order of the letters may differ, or
 * the last letter be missing: one other letter makes `rest` of `reset`.
 */
export function findSimilar(word: string, known: readonly string[], { isStrict = false } = {}): string | undefined {
  if (known.length === 0 || word.length < minWordLength || word.length > maxWordLength) return undefined;
  const typed = word.toLowerCase();
  const lowered = known.map((candidate) => candidate.toLowerCase());
  const minPrefix = (candidate: string) => (isStrict ? candidate.length - 1 : 3);
  const match =
    lowered.find((candidate) => typed.length >= minPrefix(candidate) && candidate.startsWith(typed)) ??
    lowered.find((candidate) => sortLetters(candidate) === sortLetters(typed));
  if (match !== undefined) return known[lowered.indexOf(match)];
  const nearest = closest(typed, lowered);
  return !isStrict && isTypo(typed, nearest) ? known[lowered.indexOf(nearest)] : undefined;
}

/** Almost any word is similar to a single letter. */
const minWordLength = 2;
const maxWordLength = 100;

/** Returns whether up to 40 % of the letters differ. */
function isTypo(typed: string, meant: string): boolean {
  return distance(typed, meant) <= Math.max(1, Math.floor(meant.length * 0.4));
}

function sortLetters(text: string): string {
  return [...text].sort().join('');
}
