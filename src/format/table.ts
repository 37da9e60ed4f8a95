import Table from 'cli-table3';
import { latinLine, type SafeText, truncate } from './safe-text.js';
import { wrapLines } from './wrap.js';

export interface TableColumn {
  readonly name: SafeText;
  /** The heading on a terminal; without it, the name. */
  readonly title?: SafeText;
  /** True if cells may be truncated to fit the terminal. */
  readonly canShrink: boolean;
  readonly isRightAligned?: boolean;
}

/** Functions that color text; the identity without color. */
interface TableStyles {
  readonly styleHeading: (text: SafeText) => string;
  readonly styleCell: (text: SafeText, column: number) => string;
}

export interface TableOptions extends TableStyles {
  readonly hasHeader: boolean;
  /** Columns of the terminal; `undefined` for pipes and files: nothing is truncated. */
  readonly width: number | undefined;
}

const gap = 2;
const minColumnWidth = 8;
/** A cell that is wider moves the rest of one row, not of every row. */
const maxColumnWidth = 500;

/** Returns a table without borders, or one record per block if the table cannot fit the terminal. */
export async function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
  options: TableOptions,
): Promise<string> {
  const { hasHeader, width, styleHeading, styleCell } = options;
  const measure = await measureFor(columns, rows);
  const widths = fitWidths(columns, rows, options, measure);
  if (!widths) return formatRecordBlocks(columns, rows, options);
  const toCells = (texts: readonly SafeText[], style: TableStyles['styleCell']) =>
    texts.map((text, column) => {
      const shown = width === undefined ? text : measure.truncateToWidth(text, widths[column] ?? 0);
      return { text: style(shown, column), width: measure.displayWidth(shown) };
    });
  const header = hasHeader ? [toCells(columns.map(headingOf), (text) => styleHeading(text))] : [];
  return alignCells([...header, ...rows.map((texts) => toCells(texts, styleCell))], columns, widths);
}

/** A cell, which may be colored, and its width in columns of the terminal. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

/** Small tables: the time of cli-table3 grows with the square of the rows, 3.6 s for 10,000. */
const rowsPerTable = 10;

const noBorders = Object.fromEntries(Object.keys(new Table().options.chars).map((name) => [name, '']));

/** A character for private use, which no safe text contains. */
const placeholder = '\ue000';

/**
 * Returns lines of aligned cells. cli-table3 measures some scripts wrongly, so it aligns a placeholder for each column of
 * the terminal. A cell that is wider than its column moves the rest of its line.
 */
function alignCells(
  lines: readonly (readonly Cell[])[],
  columns: readonly TableColumn[],
  widths: readonly number[],
): string {
  const options = {
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    colAligns: columns.map(({ isRightAligned }) => (isRightAligned ? 'right' : 'left')),
    colWidths: widths.map((width) => width + gap),
  } satisfies ConstructorParameters<typeof Table>[0];
  let text = '';
  for (let start = 0; start < lines.length; start += rowsPerTable) {
    const batch = lines.slice(start, start + rowsPerTable);
    const table = new Table(options);
    table.push(
      ...batch.map((cells) =>
        cells.map(({ width }, column) => placeholder.repeat(Math.min(width, widths[column] ?? 0))),
      ),
    );
    const texts = batch
      .flat()
      .filter(({ width }) => width > 0)
      .values();
    for (const line of table.toString().split('\n')) {
      text += `${line.trimEnd().replace(/\ue000+/g, () => texts.next().value?.text ?? '')}\n`;
    }
  }
  return text;
}

function headingOf({ name, title = name }: TableColumn): SafeText {
  return title;
}

/** Returns the heading of a column on a terminal: `PER MINUTE` for `perMinute`. */
export function toTitle(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toUpperCase();
}

/** Returns one record per block, a field per line, untruncated, with an empty line between blocks. */
export async function formatRecordBlocks(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
  { styleHeading, styleCell, width }: Omit<TableOptions, 'hasHeader'>,
): Promise<string> {
  const { displayWidth } = await measureFor(columns, width === undefined ? [] : rows);
  // Titles have no colon, and the gap of a table.
  const hasTitles = columns.some(({ title }) => title !== undefined);
  const labels = hasTitles ? columns.map(headingOf) : columns.map(({ name }) => `${name}:` as SafeText);
  const labelWidth = Math.max(0, ...labels.map(displayWidth)) + (hasTitles ? gap : 1);
  const wrapCell = (text: SafeText) =>
    width === undefined ? [text] : wrapLines(text, width - labelWidth, { measure: displayWidth });
  const formatBlock = (cells: readonly SafeText[]) =>
    labels.map((label, column) => {
      const margin = ' '.repeat(labelWidth - displayWidth(label));
      const lines = wrapCell(cells[column] as SafeText).map((line) => styleCell(line, column));
      return `${styleHeading(label)}${margin}${lines.join(`\n${' '.repeat(labelWidth)}`)}\n`;
    });
  return rows.map((cells) => formatBlock(cells).join('')).join('\n');
}

type TextMeasure = typeof import('./display-width.js');

/** Returns how to measure these texts. string-width is loaded only if needed: it adds 20 % to `pets list`. */
async function measureFor(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
): Promise<Pick<TextMeasure, 'displayWidth' | 'truncateToWidth'>> {
  const isSimple =
    columns.every(({ name, title = name }) => latinLine.test(name + title)) &&
    rows.every((cells) => cells.every((text) => latinLine.test(text)));
  return isSimple
    ? {
        displayWidth: (text) => text.length,
        truncateToWidth: (text, width) => truncate(text, width) as SafeText,
      }
    : import('./display-width.js');
}

/** Returns the width of each column, or nothing if the table cannot fit the terminal. */
function fitWidths(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
  { hasHeader, width }: TableOptions,
  { displayWidth }: Pick<TextMeasure, 'displayWidth'>,
): readonly number[] | undefined {
  const widths = columns.map((one, column) =>
    rows.reduce(
      (widest, row) => Math.max(widest, Math.min(displayWidth(row[column] ?? ''), maxColumnWidth)),
      hasHeader ? displayWidth(headingOf(one)) : 0,
    ),
  );
  if (width === undefined) return widths;
  let excess = widths.reduce((sum, one) => sum + one, gap * (columns.length - 1)) - width;
  for (; excess > 0; excess -= 1) {
    const shrinkable = widths.map((one, column) => (columns[column]?.canShrink ? one : 0));
    const widest = Math.max(...shrinkable);
    if (widest <= minColumnWidth) return undefined;
    widths[shrinkable.indexOf(widest)] = widest - 1;
  }
  return widths;
}
