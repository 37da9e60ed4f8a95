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
