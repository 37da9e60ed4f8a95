import { wrapText } from '../format/definition-list.js';
import { toSafeText } from '../format/safe-text.js';
import type { Style } from './output.js';

/**
 * Where a combining mark has no letter. At the start of a styled line, @inquirer/core would combine the mark with the end of
 * the escape sequence (Unicode normalization).
 */
const leadingMark = /(?<!\S)(?=\p{M})/gu;

/** In columns: the width of the mark before a message. */
const markWidth = 2;

export interface PromptThemeOptions {
  readonly style: Style;
  readonly stderr: NodeJS.WriteStream;
  /** True if Esc repeats an earlier question. */
  readonly canGoBack: boolean;
  /** In columns: what each line of the message leaves free. */
  readonly margin?: number | undefined;
  /** Called with each drawing, and may use the hooks of @inquirer/core. */
  readonly onDraw: () => void;
}

export type PromptTheme = ReturnType<typeof createPromptTheme>;

/** Returns a theme without the colors of the default theme, such as cyan: see `createStyle`. */
export function createPromptTheme({ style, stderr, canGoBack, margin = markWidth, onDraw }: PromptThemeOptions) {
  const { heading, dim, selected, success, error } = style;
  const columns = () => stderr.columns || 80;
  // The prompts would break lines inside words.
  const wrap = (text: string, reserved = markWidth) =>
    wrapText(toSafeText(text).replace(leadingMark, '◌'), '', columns() - reserved).trimEnd();
  /** In columns: what the last line of the message takes. */
  let messageWidth = 0;
  const wrapAnswer = (text: string) => {
    if (messageWidth + 1 + text.length < columns() || text.split(' ').some((word) => word.length >= columns()))
      return text;
    // As wide as the message, because the answer continues its line.
    const filler = 'x'.repeat(messageWidth);
    return wrap(`${filler} ${text}`, 1).slice(messageWidth).replace(/^ /, '');
  };
  return {
    // Ctrl-P and Ctrl-N move in a list, as in a shell.
    keybindings: ['emacs' as const],
    prefix: { idle: heading('?'), done: success('✓') },
    // chalk would print further arguments.
    style: {
      answer: wrapAnswer,
      message: (text: string) => {
        onDraw();
        const wrapped = wrap(text, margin);
        const lastLine = wrapped.slice(wrapped.lastIndexOf('\n') + 1);
        messageWidth = lastLine.length + (lastLine === wrapped ? markWidth : 0);
        return heading(wrapped);
      },
      error: (text: string) => error(`> ${wrap(text)}`),
      defaultAnswer: (text: string) => dim(`(${text})`),
      highlight: (text: string) => selected(text),
      keysHelpTip: (tips: readonly KeyTip[]) => {
        if (!hasRowsForTips(stderr)) return '';
        return splitTips([...tips, ['esc', canGoBack ? 'go back' : 'cancel']], columns())
          .map((line) => line.map(([key, action]) => `${heading(key)} ${dim(action)}`).join(dim(' • ')))
          .join('\n');
      },
    },
  };
}

const hasRowsForTips = ({ rows }: NodeJS.WriteStream) => !(rows < 10);

/** Returns how many choices a list shows: as many as fit, up to ten. */
export function getPageSize(stderr: NodeJS.WriteStream): number {
  const { rows = 24 } = stderr;
  // The message, the tips, and the lines between them take up to six lines.
  return Math.max(1, Math.min(10, rows - (hasRowsForTips(stderr) ? 6 : 2)));
}

type KeyTip = readonly [key: string, action: string];

/** Splits tips into lines that fit into the terminal. */
function splitTips(tips: readonly KeyTip[], columns: number): readonly (readonly KeyTip[])[] {
  const lines: KeyTip[][] = [];
  let left = 0;
  for (const tip of tips) {
    const width = `${tip.join(' ')} • `.length;
    if (left < width) {
      lines.push([]);
      left = columns + ' • '.length;
    }
    lines.at(-1)?.push(tip);
    left -= width;
  }
  return lines;
}
