import stringWidth from 'string-width';
import type { SafeText } from './safe-text.js';

/** Cuts text to so many terminal columns, never inside a grapheme; `…` tells that it was cut. */
export function truncateToWidth(text: SafeText, width: number): SafeText {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  // Longer graphemes are no letters of any language, and very long text is not worth looking through.
  const start = text.slice(0, width * 16).replace(/[\ud800-\udbff]$/, '');
  for (const { segment, index } of new Intl.Segmenter().segment(start)) {
    used += stringWidth(segment);
    const mayGoOn = start !== text && index + segment.length === start.length;
    if (used > width - 1 || mayGoOn) break;
    kept += segment;
  }
  return `${kept}…` as SafeText;
}

/** Text in lines of at most so many columns, broken between graphemes; there is always one. */
export function wrapToWidth(text: SafeText, width: number): readonly SafeText[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = stringWidth(segment);
    if (used + wide > width && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += segment;
    used += wide;
  }
  return [...lines, line] as SafeText[];
}

/** Columns that text takes on a terminal; of very long text, which no column holds, only its length. */
export function displayWidth(text: string): number {
  return text.length > longest ? text.length : stringWidth(text);
}

const longest = 8_000;
