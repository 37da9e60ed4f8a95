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
export function countRows(lines: readonly string[], columns: number, measureWidth: (line: string) => number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(measureWidth(line) / columns)), 0);
}
