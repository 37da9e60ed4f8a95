import { stringify } from 'csv-stringify/sync';

/** Text is protected against being run as a formula by a spreadsheet; a number is written as is. */
export type CsvCell = { readonly text: string } | { readonly number: string } | undefined;

/**
 * Formats rows as CSV (RFC 4180, but with line feeds). Text that a spreadsheet would run as a formula gets the
 * prefix `'`. So does text that starts with `'`, so that the import can strip one.
 */
export function formatCsv(rows: readonly (readonly CsvCell[])[], delimiter: string): string {
  return stringify(
    rows.map((row) => row.map(cellText)),
    { delimiter },
  );
}

function cellText(cell: CsvCell): string {
  if (cell === undefined) return '';
  return 'number' in cell ? cell.number : cell.text.replace(/^[=+\-@\t\r']/, "'$&");
}
