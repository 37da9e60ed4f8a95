import type { Hint } from '../failure.js';
import { formatCommand } from './hint.js';
import { type SafeText, toSafeText } from './safe-text.js';

/** Starts of the first line and of the others. */
interface Margins {
  readonly first?: string;
  readonly rest?: string;
}

interface WrapOptions extends Margins {
  readonly measure?: (text: string) => number;
}

/**
 * Wraps and escapes text of one line, to a terminal of `width` columns; `undefined` for pipes and files: nothing is wrapped.
 * Ends with a line feed.
 */
export function wrapMessage(
  text: Hint,
  width: number | undefined,
  { first = '', rest = '  ' }: Margins = {},
): SafeText {
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
  { first = '', rest = '', measure = estimateWidth }: WrapOptions = {},
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
  if (latin.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + (latin.test(character) ? 1 : 2), 0);
}

/** One column per character. */
const latin = /^[\x20-\u02ff\u2026\u2713\u2717]*$/;

/** A term and its description. */
export interface DefinitionItem {
  readonly term: string;
  readonly text: string;
}

const indent = '  ';
/** If a term is longer or the terminal narrower, descriptions go below their terms. */
const maxTermWidth = 24;
const minTerminalWidth = 60;

/** Formats terms in one column and descriptions in another. Only a single long word exceeds `width`. */
export function formatDefinitionList(items: readonly DefinitionItem[], width: number): string {
  const longest = Math.max(...items.map(({ term }) => term.length));
  const isNarrow = longest > maxTermWidth || width < minTerminalWidth;
  const format = ({ term, text }: DefinitionItem) => {
    if (isNarrow)
      return wrapMessage(term, width, margins(indent)) + wrapMessage(text, width, margins(indent.repeat(3)));
    const first = `${indent}${term.padEnd(longest + 2)}`;
    return wrapMessage(text, width, { first, rest: ' '.repeat(first.length) });
  };
  return items.map(format).join('');
}

/** Returns the same margin for all lines. */
export function margins(margin: string): Margins {
  return { first: margin, rest: margin };
}
