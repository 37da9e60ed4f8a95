import { closest, distance } from 'fastest-levenshtein';

/** Returns `did you mean "sold"?` for the nearest known word, or nothing if none is similar. */
export function suggestSimilar(word: string, known: readonly string[]): string | undefined {
  const similar = findSimilar(word, known);
  return similar === undefined ? undefined : `did you mean "${similar}"?`;
}

/** Returns the nearest known word if at most `maxLetters` letters and at most half of the longer word differ. */
export function findSimilar(word: string, known: readonly string[], maxLetters = 3): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(
    word.toLowerCase(),
    known.map((candidate) => candidate.toLowerCase()),
  );
  const maxDistance = Math.min(maxLetters, Math.max(word.length, nearest.length) / 2);
  if (distance(word.toLowerCase(), nearest) > maxDistance) return undefined;
  return known.find((candidate) => candidate.toLowerCase() === nearest);
}
