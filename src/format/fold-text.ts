/** Returns lowercase text without accents: `elan` for `Élan`, whether composed (NFC) or not (NFD). */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ςłıøđ]/g, (letter) => plainLetters[letter] ?? letter);
}

/** Letters that NFD does not decompose, and the sigma at the end of a word. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', ł: 'l', ı: 'i', ø: 'o', đ: 'd' };

/** Returns the words of a filter, as `foldText` returns them. */
export function splitFilter(filter: string): readonly string[] {
  return foldText(filter)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Returns whether text contains each of these words of a filter, ignoring case and accents. */
export function matchesFilter(text: string, words: readonly string[]): boolean {
  const foldedText = foldText(text);
  return words.every((word) => foldedText.includes(word));
}
