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
  return displayWidth(text) <= width ? text : (`${takeGraphemes(text, width - 1)}…` as SafeText);
}

/** Splits text into lines of at most `width` columns at spaces, and a longer word between graphemes. */
export function wrapToWidth(text: SafeText, width: number): readonly SafeText[] {
  const lines = wrapLines(text, width, { measure: displayWidth });
  return lines.flatMap((line) => splitGraphemes(line.trimEnd(), width)) as SafeText[];
}

function splitGraphemes(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (displayWidth(rest) > width) {
    const line = takeGraphemes(rest, width) || firstGrapheme(rest);
    lines.push(line);
    rest = rest.slice(line.length);
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

function firstGrapheme(text: string): string {
  return new Intl.Segmenter().segment(text).containing(0)?.segment ?? text;
}

/** Returns the first graphemes, as many as fit the width. */
function takeGraphemes(text: string, width: number): string {
  let taken = '';
  let used = 0;
  // A grapheme is rarely longer than 16 units. Segmenting all of a very long text takes too long.
  const start = text.slice(0, width * 16).replace(/[\ud800-\udbff]$/, '');
  for (const { segment } of new Intl.Segmenter().segment(start)) {
    used += stringWidth(segment);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}
