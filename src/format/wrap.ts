import type { Hint } from '../failure.js';
import { formatCommand } from './hint.js';
import { latinLine, type SafeText, toSafeText } from './safe-text.js';

/**
 * Wraps and escapes text of one line, to a terminal of `width` columns; `undefined` for pipes and files: nothing is wrapped.
 * The first line starts with `first`, the others with `rest`. Ends with a line feed.
 */
export function wrapMessage(text: Hint, width: number | undefined, first = '', rest = '  '): SafeText {
  const lines = wrapLines(text, width ?? Number.POSITIVE_INFINITY, { first, rest });
  return lines.map((line) => `${line}\n`).join('') as SafeText;
}

/**
 * Splits and escapes text into lines of at most `width` columns at spaces, which are omitted there. Returns at least one
 * line. A command stays on one line, to be copied: only a command or a single long word exceeds the width.
 */
export function wrapLines(
  text: Hint,
  width: number,
  { first = '', rest = '', measure = estimateWidth },
): readonly SafeText[] {
  const lines: string[] = [];
  let line = first;
  // An indentation stays with the first word.
  let hasWord = false;
  for (const word of splitWords(text)) {
    if (hasWord && measure((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = rest + word;
    } else line += word;
    hasWord ||= word.trim() !== '';
  }
  return [...lines, line] as SafeText[];
}

/** Returns words and commands, each with the spaces that follow. */
function splitWords(text: Hint): readonly string[] {
  const words = [''];
  for (const part of typeof text === 'string' ? [text] : text) {
    const next = typeof part === 'string' ? splitText(toSafeText(part)) : [toSafeText(formatCommand(part))];
    // A comma may follow a command.
    if (!words.at(-1)?.endsWith(' ')) next[0] = words.pop() + (next[0] ?? '');
    words.push(...next);
  }
  return words;
}

/** Splits text after spaces. A separator starts a line rather than ends it. */
function splitText(text: string): string[] {
  return text.split(/(?<=(?:^|[^·]) )(?! )/);
}

/**
 * Returns how many columns text takes at most. Measuring it exactly needs string-width, which takes longer to load than
 * a short command.
 */
function estimateWidth(text: string): number {
  if (latinLine.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + (latinLine.test(character) ? 1 : 2), 0);
}

/** A term and its description. */
export interface DefinitionItem {
  readonly term: string;
  readonly text: string;
}

/** A longer term moves the start of its description, not that of every one. */
const maxTermWidth = 24;

/** Formats terms in one column and descriptions in another. Only a single long word exceeds `width`. */
export function formatDefinitionList(items: readonly DefinitionItem[], width: number): string {
  const longest = Math.max(...items.map(({ term }) => term.length));
  const termWidth = Math.min(longest, maxTermWidth, Math.max(0, Math.floor(width / 2) - 4));
  const format = ({ term, text }: DefinitionItem) =>
    wrapMessage(`${term.padEnd(termWidth)}  ${text}`, width, '  ', ' '.repeat(termWidth + 4));
  return items.map(format).join('');
}
