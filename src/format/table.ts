import Table from 'cli-table3';
import type { TextMeasure } from './measure.js';
import type { SafeText } from './safe-text.js';

export interface TableColumn {
  readonly name: SafeText;
  /** May be cut where the table is wider than the terminal. */
  readonly canShrink: boolean;
}

/** How a finished piece of text is dressed: the identity off a terminal. */
type StyleCell = (text: SafeText, column: number) => string;

export interface TableOptions {
  readonly hasHeader: boolean;
  /** Columns of the terminal; `undefined` off a terminal: nothing is cut. */
  readonly width: number | undefined;
  readonly styleHeading: (text: SafeText) => string;
  readonly styleCell: StyleCell;
  /** How wide all of these texts are. */
  readonly measure: TextMeasure;
}

const gap = 2;
const narrowest = 8;
const narrowTerminal = 40;
/** A cell that is wider pushes out its own row, and no other. */
const widestColumn = 500;

/** A table without lines, two spaces between columns; where it cannot fit, one record per block. */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
  options: TableOptions,
): string {
  const { displayWidth: widthOf } = options.measure;
  const natural = columns.map(({ name }, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, Math.min(widthOf(row[index] ?? ''), widestColumn)),
      options.hasHeader ? widthOf(name) : 0,
    ),
  );
  const widths = fitWidths(natural, columns, options.width);
  return widths ? grid(columns, rows, widths, options) : formatRecordBlocks(columns, rows, options);
}

/**
 * One record per block, `name: value` a line, an empty line between blocks. Nothing is cut; values stand in
 * one column unless told otherwise.
 */
export function formatRecordBlocks(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
  {
    styleHeading: heading,
    styleCell: dress,
    measure: { displayWidth: widthOf },
    aligned = true,
  }: Omit<TableOptions, 'hasHeader' | 'width'> & { readonly aligned?: boolean },
): string {
  const longest = Math.max(0, ...columns.map(({ name }) => widthOf(name)));
  return rows
    .map((row) =>
      columns
        .map(({ name }, index) => {
          const padding = ' '.repeat(aligned ? longest - widthOf(name) + 1 : 1);
          return `${heading(`${name}:` as SafeText)}${padding}${dress(row[index] as SafeText, index)}\n`;
        })
        .join(''),
    )
    .join('\n');
}

/** The width of each column within the terminal, or nothing where the table cannot be made to fit. */
function fitWidths(
  natural: readonly number[],
  columns: readonly TableColumn[],
  width: number | undefined,
): readonly number[] | undefined {
  if (width === undefined) return natural;
  if (width < narrowTerminal) return undefined;
  let excess = natural.reduce((sum, one) => sum + one, gap * (columns.length - 1)) - width;
  const widths = [...natural];
  while (excess > 0) {
    const widest = widths.reduce(
      (best, one, index) => (columns[index]?.canShrink && one > (widths[best] ?? 0) ? index : best),
      -1,
    );
    const current = widths[widest];
    if (current === undefined || current <= narrowest) return undefined;
    widths[widest] = current - 1;
    excess -= 1;
  }
  return widths;
}

function grid(
  columns: readonly TableColumn[],
  rows: readonly (readonly SafeText[])[],
  widths: readonly number[],
  {
    hasHeader: header,
    styleHeading: heading,
    styleCell: dress,
    width,
    measure: { displayWidth: widthOf, truncateToWidth: cut },
  }: TableOptions,
): string {
  const fitted = (cells: readonly SafeText[]) =>
    width === undefined ? cells : cells.map((text, index) => cut(text, widths[index] as number));
  const lines = [
    ...(header
      ? [
          {
            cells: fitted(columns.map(({ name }) => name)),
            dress: (text: SafeText) => heading(text),
          },
        ]
      : []),
    ...rows.map((cells) => ({ cells: fitted(cells), dress })),
  ];
  const line = layOut(widths);
  return lines.map((one) => `${fillIn(line, one, widthOf)}\n`).join('');
}

/**
 * A line in which a run of `x` stands for each cell, as wide as its column: so cli-table3 counts neither colours nor
 * graphemes, which it would count wrongly, and lays out one row, since its time grows with the square of the rows.
 */
function layOut(widths: readonly number[]): string {
  const table = new Table({
    chars: noLines,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(widths.map((width) => 'x'.repeat(Math.max(1, width))));
  return table.toString();
}

function fillIn(
  line: string,
  { cells, dress }: { readonly cells: readonly SafeText[]; readonly dress: StyleCell },
  widthOf: TextMeasure['displayWidth'],
): string {
  let column = 0;
  return line.replace(/x+/g, (run) => {
    const text = cells[column] as SafeText;
    const dressed = dress(text, column++);
    if (column === cells.length) return dressed;
    return dressed + ' '.repeat(Math.max(0, run.length - widthOf(text)));
  });
}

const noLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(gap),
} as const;
