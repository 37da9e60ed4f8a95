import type { SafeText } from './safe.js';

/** How many columns of a terminal text takes, and how it is made to take fewer. */
export interface Measure {
  widthOf(text: string): number;
  /** At most so many columns, never ending inside a grapheme; `…` tells that it was cut. */
  cut(text: SafeText, width: number): SafeText;
}

/** The measure for these texts: what knows every script costs more than a command, and Latin needs none of it. */
export async function measureFor(rows: readonly (readonly string[])[]): Promise<Measure> {
  const isLatin = rows.every((row) => row.every((text) => latin.test(text)));
  return isLatin ? narrow : import('./graphemes.js');
}

/** Letters that take one column each: ASCII and what Unicode has of Latin first, without the soft hyphen. */
const latin = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2026]*$/;

const narrow: Measure = {
  widthOf: (text) => text.length,
  cut: (text, width) =>
    (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`) as SafeText,
};
