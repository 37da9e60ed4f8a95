import { foldText } from '../../../format/fold-text.js';

/** Shared: creating a segmenter takes longer than most uses of it. */
let segmenter: Intl.Segmenter | undefined;

/** Returns text in which `mark` was applied to each match of a word. */
export function markMatches(text: string, words: readonly string[], mark: (match: string) => string): string {
  if (words.length === 0) return text;
  segmenter ??= new Intl.Segmenter();
  const graphemes = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const foldedGraphemes = graphemes.map(foldText);
  // For each character of the folded text, the index of its grapheme.
  const indexes = foldedGraphemes.flatMap((part, index) => Array<number>(part.length).fill(index));
  const haystack = foldedGraphemes.join('');
  const matchedIndexes = new Set<number>();
  for (const word of words) {
    for (let start = haystack.indexOf(word); start !== -1; start = haystack.indexOf(word, start + 1)) {
      for (const index of indexes.slice(start, start + word.length)) matchedIndexes.add(index);
    }
  }
  const mask = graphemes.map((_, index) => (matchedIndexes.has(index) ? '+' : '-')).join('');
  return mask.replace(/\++|-+/g, (run, start: number) => {
    const part = graphemes.slice(start, start + run.length).join('');
    return run.startsWith('+') ? mark(part) : part;
  });
}
