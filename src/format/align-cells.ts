import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import cellText from 'cli-table3/src/utils.js';

/** cli-table3 takes 9 s for 20,000 rows in one table: its time grows with the square of the rows. */
const rowsPerTable = 100;

const noBorders = Object.fromEntries(
  Object.keys(new Table().options.chars).map((name) => [name, '']),
);

/** Returns lines of aligned cells, which may be colored. A cell wider than its column moves the rest of its line. */
export function alignCells(
  lines: readonly string[][],
  widths: readonly number[],
  gap: number,
  displayWidth: (text: string) => number,
): string {
  // The functions of cli-table3 measure some scripts wrongly (with string-width 4), and truncate wide cells.
  Object.assign(cellText, {
    strlen: displayWidth,
    truncate: (text: string) => text,
    pad: (text: string, width: number) =>
      text + ' '.repeat(Math.max(0, width - displayWidth(stripVTControlCharacters(text)))),
  });
  let text = '';
  for (let start = 0; start < lines.length; start += rowsPerTable) {
    const table = new Table({
      chars: noBorders,
      style: { head: [], border: [], 'padding-left': gap, 'padding-right': 0 },
      // Includes the gap, because cli-table3 makes no column narrower than 1. The last column is not padded.
      colWidths: widths.map((width, column) => gap + (column < widths.length - 1 ? width : 0)),
    });
    table.push(...lines.slice(start, start + rowsPerTable));
    for (const line of table.toString().split('\n')) text += `${line.slice(gap)}\n`;
  }
  return text;
}
