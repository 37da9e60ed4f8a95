/** Returns the words of a filter, as `foldText` returns them. */
export function splitFilter(search: string): readonly string[] {
  return foldText(search)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Returns lowercase text without accents: `elan` for `Élan`, whether composed (NFC) or not (NFD). */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
}

/** Returns text in which `mark` was applied to each match of a word. */
export function markMatches(text: string, words: readonly string[], mark: (match: string) => string): string {
  if (words.length === 0) return text;
  const graphemes = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  const folded = graphemes.map(foldText);
  // For each character of the folded text, the index of its grapheme.
  const indexes = folded.flatMap((part, index) => Array<number>(part.length).fill(index));
  const haystack = folded.join('');
  const matched = new Set<number>();
  for (const word of words) {
    for (let start = haystack.indexOf(word); start !== -1; start = haystack.indexOf(word, start + 1)) {
      for (const index of indexes.slice(start, start + word.length)) matched.add(index);
    }
  }
  const mask = graphemes.map((_, index) => (matched.has(index) ? '+' : '-')).join('');
  return mask.replace(/\++|-+/g, (run, start: number) => {
    const part = graphemes.slice(start, start + run.length).join('');
    return run.startsWith('+') ? mark(part) : part;
  });
}
