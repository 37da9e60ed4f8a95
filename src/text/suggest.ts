import { closest, distance } from 'fastest-levenshtein';

/** `did you mean "sold"?` for the nearest of the known words, or nothing where none is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > longestWord) return undefined;
  const begun =
    word.length >= 3 ? known.find((candidate) => candidate.startsWith(word)) : undefined;
  const nearest = begun ?? closest(word, known);
  const typos = distance(word.toLowerCase(), nearest.toLowerCase());
  return begun !== undefined || typos <= Math.ceil(nearest.length * 0.4)
    ? `did you mean "${nearest}"?`
    : undefined;
}

const longestWord = 100;
