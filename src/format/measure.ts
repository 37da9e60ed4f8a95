import { isLatin, type SafeText } from './safe-text.js';

/** How many columns of a terminal text takes, and how it is made to take fewer. */
export interface TextMeasure {
  displayWidth(text: string): number;
  /** At most so many columns, never ending inside a grapheme; `…` tells that it was cut. */
  truncateToWidth(text: SafeText, width: number): SafeText;
}

/** The measure for these texts: what knows every script costs more than a command, and Latin needs none of it. */
export async function measureFor(rows: readonly (readonly string[])[]): Promise<TextMeasure> {
  return rows.every((row) => row.every(isLatin)) ? narrow : import('./graphemes.js');
}

const narrow: TextMeasure = {
  displayWidth: (text) => text.length,
  truncateToWidth: (text, width) =>
    (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`) as SafeText,
};
