import type { SafeText } from './safe-text.js';

/** Starts of the first line and of the others. */
export interface Margins {
  readonly first?: string;
  readonly rest?: string;
}

/**
 * Wraps one line of text at spaces, to a terminal of `width` columns; `undefined` for pipes and files: nothing is
 * wrapped. A command stays on one line, to be copied: if it is too long, the terminal wraps it. Ends with a line feed. Only
 * a command or a single long word exceeds the width.
 */
export function wrapMessage(
  text: SafeText,
  width: number | undefined,
  { first = '', rest = '  ' }: Margins = {},
): SafeText {
  let line: string = first;
  let used = estimateWidth(first);
  let isStart = true;
  let lines = '';
  const maxWidth = (width ?? Number.POSITIVE_INFINITY) - estimateWidth(rest);
  for (const word of splitText(text, maxWidth)) {
    const wordWidth = estimateWidth(word);
    if (!isStart && width !== undefined && used + 1 + wordWidth > width) {
      lines += `${line}\n`;
      line = rest + word;
      used = estimateWidth(rest) + wordWidth;
    } else {
      line += isStart ? word : ` ${word}`;
      used += wordWidth + (isStart ? 0 : 1);
    }
    isStart = false;
  }
  return `${lines}${line}\n` as SafeText;
}

/** Splits text into words and commands. A command that is longer than `maxWidth` counts as one only if a word announces it. */
function splitText(text: string, maxWidth: number): readonly string[] {
  const parts: string[] = [];
  let command: string[] = [];
  const endCommand = () => {
    const whole = command.join(' ');
    const isWhole = estimateWidth(whole) <= maxWidth || announcement.test(parts.at(-1) ?? '');
    parts.push(...(isWhole && command.length > 0 ? [whole] : command));
    command = [];
  };
  // A separator starts a line rather than ends it.
  const isQuoted = () => command.join(' ').split("'").length % 2 === 0;
  for (const word of text.split(/(?<!·) /)) {
    if (!isQuoted() && wordsAfterCommand.includes(word)) endCommand();
    if (command.length > 0 || /^export$|^sudo$|(?:^|[^\w/.-])petstore$/.test(word)) {
      command.push(word);
      if (/[,;.:?`]$/.test(word) && !isQuoted()) endCommand();
    } else parts.push(word);
  }
  endCommand();
  return parts;
}

/** Words before a command. Elsewhere, `petstore` may be the subject of a sentence. */
const announcement = /^(?:run|use|as|or|then)$|:$/i;

/** Words that continue a sentence. */
const wordsAfterCommand = [
  'and',
  'before',
  'creates',
  'for',
  'if',
  'instead',
  'needs',
  'or',
  'takes',
  'then',
  'to',
  'without',
];

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
