import { toSafeText } from '../format/safe-text.js';

/** Returns how many columns a line takes. Loaded only after a resize, and to erase an answer. */
export type MeasureWidth = typeof import('../format/display-width.js').displayWidth;

/** What a prompt of @inquirer/core has drawn on the terminal. */
export interface RecordedDrawing {
  /** The stream that the prompt draws on. */
  readonly stream: NodeJS.WriteStream;
  /** The lines of the last drawing. */
  lines(): readonly string[];
  /** Erases the drawing; `measureWidth` if a resize has wrapped its lines. The next drawing erases nothing. */
  erase(measureWidth?: MeasureWidth): void;
  /** Erases the drawing and ignores later ones, until `resume`. */
  suspend(): void;
  /** Makes the next drawing erase nothing: other output has replaced the last one. */
  resume(): void;
}

/**
 * Records what a prompt draws. A prompt erases its previous drawing by the number of its lines, which is wrong once the
 * terminal has wrapped them at another width.
 *
 * `movesCursorDown`: a resize moves the cursor down by each line that the terminal wraps anywhere (xterm.js does).
 */
export function recordDrawing(stderr: NodeJS.WriteStream, movesCursorDown: boolean): RecordedDrawing {
  let lines: readonly string[] = [];
  let row = 0;
  let column = 0;
  let last = '';
  let isErased = false;
  let isSuspended = false;
  let takeReturnedRows = trackHiddenRows(stderr);
  const write = (chunk: Uint8Array | string) => {
    if (isSuspended) return true;
    const text = String(chunk);
    const drawing = text.replace(eraseStart, '');
    if (drawing === last && !isErased) return true;
    last = drawing;
    const [move = '', up = '0', columnNumber = '1'] = cursorMove.exec(drawing) ?? [];
    column = Number(columnNumber) - 1;
    const content = drawing.slice(0, -move.length || undefined);
    const erased = isErased ? '' : text.slice(0, text.length - drawing.length);
    // Without content, the cursor moves in its line. Without a move, the prompt ends.
    if (content !== '' && move !== '') {
      lines = content.split('\n');
      row = lines.length - 1 - Number(up);
      isErased = false;
    }
    // The confirmation of @inquirer/prompts shows typed and pasted text unchanged.
    const escaped = drawing.replace(plainText, (part) => toSafeText(part));
    return stderr.write(cutLines + erased + escaped + wrapLines);
  };
  // A prompt breaks lines at the width of the terminal, so that each takes one row.
  const findTop = (measureWidth: MeasureWidth | undefined) => {
    if (!measureWidth) return row;
    const columns = stderr.columns || 80;
    const linesAbove = lines.slice(0, row);
    // After the last column of a line, the cursor stays in its row.
    const isAtEnd = column === measureWidth(lines[row] ?? '');
    const rowsAbove = Math.floor((isAtEnd ? Math.max(0, column - 1) : column) / columns);
    if (!movesCursorDown) return countRows(linesAbove, columns, measureWidth) + rowsAbove;
    const linesBelow = lines.slice(row + 1);
    return countRows([...linesAbove, ...linesBelow], columns, measureWidth) - linesBelow.length;
  };
  const erase = (measureWidth?: MeasureWidth) => {
    const returnedRows = takeReturnedRows(isErased ? 0 : row + 1);
    if (!isErased) stderr.write(eraseBelow(findTop(measureWidth) + returnedRows));
    else if (returnedRows > 0) stderr.write(eraseBelow(returnedRows));
    isErased = true;
  };
  return {
    stream: new Proxy(stderr, { get: (target, key) => (key === 'write' ? write : Reflect.get(target, key)) }),
    lines: () => lines,
    erase,
    suspend: () => {
      erase();
      // A spinner may draw before the process handles SIGCONT, and after `bg`.
      isSuspended = true;
    },
    resume: () => {
      // The rows above belong to the shell.
      takeReturnedRows = trackHiddenRows(stderr);
      isErased = true;
      isSuspended = false;
    },
  };
}

/**
 * Tracks the rows that a screen moves to the history of the terminal when it gets shorter than a drawing. Once it gets
 * taller, they are above the drawing that has replaced them. The returned function returns how many have come back since
 * its last call. `rowsToCursor`: the rows of the current drawing, down to the row of the cursor.
 */
function trackHiddenRows(terminal: { readonly rows?: number | undefined }): (rowsToCursor: number) => number {
  let screenRows = terminal.rows || 0;
  let hiddenRows = 0;
  return (rowsToCursor) => {
    const rows = terminal.rows || screenRows;
    const returnedRows = Math.min(hiddenRows, Math.max(0, rows - screenRows));
    hiddenRows += Math.max(0, Math.min(rowsToCursor, screenRows) - rows) - returnedRows;
    screenRows = rows;
    return returnedRows;
  };
}

/**
 * Disables and enables wrapping (DECAWM). If the terminal becomes narrower just before a drawing arrives, wrapped lines
 * would move the cursor.
 */
export const cutLines = '\u001b[?7l';
export const wrapLines = '\u001b[?7h';

/**
 * Moves the cursor up to the first column, and erases everything from there. The space that a drawing replaces is for tmux,
 * which would copy a screen that is erased from its first cell to the history.
 */
export function eraseBelow(rows: number): string {
  return `${rows > 0 ? `\u001b[${rows}A` : ''}\u001b[G \u001b[J\u001b[G`;
}

/** Returns the rows that lines take. After a resize, most terminals have wrapped the lines of the old width. */
export function countRows(lines: readonly string[], columns: number, measureWidth: MeasureWidth): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(measureWidth(line) / columns)), 0);
}

/** The movements by which a prompt erases its previous drawing (`ScreenManager` of @inquirer/core). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const eraseStart = /^(?:\u001b\[\d*[ABK]|\u001b\[G)*/;
/** The movement from the last line of a drawing to its input. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const cursorMove = /(?:\u001b\[(\d+)A)?\u001b\[(\d+)G$/;

/** Text between escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const plainText = /[^\u001b\n]+/g;
