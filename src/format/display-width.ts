import stringWidth from 'string-width';
import type { SafeText } from './safe-text.js';
import { wrapLines } from './wrap.js';

/** In characters. Measuring longer text takes too long, and it fits no column anyway. */
const maxMeasuredLength = 8_000;

/** Returns how many terminal columns text takes; for very long text, its length. */
export function displayWidth(text: string): number {
  return text.length > maxMeasuredLength ? text.length : stringWidth(text);
}

/** Truncates text to a number of terminal columns between graphemes, and marks the cut with `…`. */
export function truncateToWidth(text: SafeText, width: number): SafeText {
  if (displayWidth(text) <= width) return text;
  // A grapheme is rarely longer than 16 units. Segmenting all of a very long text takes too long.
  const start = text.slice(0, width * 16).replace(/[\ud800-\udbff]$/, '');
  return `${splitGraphemes(start, width - 1)[0]}…` as SafeText;
}

/** Splits text into lines of at most `width` columns at spaces, and a longer word between graphemes. */
export function wrapToWidth(text: SafeText, width: number): readonly SafeText[] {
  const lines = wrapLines(text, width, { measure: displayWidth }).map((line) => line.trimEnd());
  const fitLine = (line: string) => splitGraphemes(line, width).filter((part) => part !== '');
  return lines.flatMap((line) => (displayWidth(line) > width ? fitLine(line) : line)) as SafeText[];
}

/** Splits text between graphemes into parts of at most `width` columns. A wider grapheme follows an empty part. */
function splitGraphemes(text: string, width: number): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const columns = stringWidth(segment);
    if (used + columns > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += segment;
    used += columns;
  }
  return [...parts, part];
}
