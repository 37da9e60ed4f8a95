import { stringify } from 'csv-stringify/sync';

/** A cell: text is guarded against spreadsheets that would run it as a formula, a number never is. */
export type CsvCell = { readonly text: string } | { readonly number: string } | undefined;

/**
 * Lines of CSV (RFC 4180, but with line feeds) or, with a tab as delimiter, TSV. Text that a spreadsheet
 * would take for a formula gets a `'` before it, and so does text that starts with `'`, so that reading
 * can take one off again.
 */
export function formatCsv(rows: readonly (readonly CsvCell[])[], delimiter: ',' | '\t'): string {
  return stringify(
    rows.map((row) => row.map(cellText)),
    { delimiter },
  );
}

function cellText(cell: CsvCell): string {
  if (cell === undefined) return '';
  return 'number' in cell ? cell.number : cell.text.replace(/^[=+\-@\t\r']/, "'$&");
}
