import { closest, distance } from 'fastest-levenshtein';

/** Returns `did you mean "sold"?` for the most similar known word, or nothing if none is similar. */
export function suggestSimilar(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > maxWordLength) return undefined;
  const typed = word.toLowerCase();
  const lowered = known.map((candidate) => candidate.toLowerCase());
  const completed = lowered.find((candidate) => typed.length >= 3 && candidate.startsWith(typed));
  const nearest = completed ?? closest(typed, lowered);
  const isNear = completed !== undefined || isTypo(typed, nearest);
  return isNear ? `did you mean "${known[lowered.indexOf(nearest)]}"?` : undefined;
}

const maxWordLength = 100;

/** Returns whether up to 40 % of the letters differ, or only their order. */
function isTypo(typed: string, meant: string): boolean {
  const sorted = (text: string) => [...text].sort().join('');
  if (sorted(typed) === sorted(meant)) return true;
  return distance(typed, meant) <= Math.max(1, Math.floor(meant.length * 0.4));
}
