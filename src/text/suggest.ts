import { closest, distance } from 'fastest-levenshtein';

/** `did you mean "sold"?` for the nearest of the known words, or nothing where none is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > 100) return undefined;
  const nearest = closest(word, known);
  const allowed = Math.max(1, Math.floor(nearest.length * 0.4));
  return distance(word.toLowerCase(), nearest.toLowerCase()) <= allowed
    ? `did you mean "${nearest}"?`
    : undefined;
}
