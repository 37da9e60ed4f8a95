import { closest, distance } from 'fastest-levenshtein';

/** `did you mean "sold"?` for the nearest of the known words, or nothing where none is near. */
export function suggestSimilar(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > longestWord) return undefined;
  const typed = word.toLowerCase();
  const lowered = known.map((candidate) => candidate.toLowerCase());
  const begun = lowered.find((candidate) => typed.length >= 3 && candidate.startsWith(typed));
  const nearest = begun ?? closest(typed, lowered);
  const isNear = begun !== undefined || isTypo(typed, nearest);
  return isNear ? `did you mean "${known[lowered.indexOf(nearest)]}"?` : undefined;
}

const longestWord = 100;

/** Up to two in five letters wrong, or the right letters in another order, as fast fingers type them. */
function isTypo(typed: string, meant: string): boolean {
  const sorted = (text: string) => [...text].sort().join('');
  if (sorted(typed) === sorted(meant)) return true;
  return distance(typed, meant) <= Math.max(1, Math.floor(meant.length * 0.4));
}
