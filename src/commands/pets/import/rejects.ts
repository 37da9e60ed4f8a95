import type { AtomicFile } from '../../../config/files.js';
import { formatCsv } from '../../../format/format-csv.js';
import { formatJson, isRecord } from '../../../format/json.js';
import { type CheckedInput, rereadRows } from './check-rows.js';
import type { Journal } from './journal.js';
import { type Row, reasonColumn } from './read-rows.js';
import type { ReplayableInput } from './replayable-input.js';

/** Writes the invalid and the rejected rows, which stay unchanged and get a reason. */
export async function writeRejects(
  file: Pick<AtomicFile, 'write'>,
  input: ReplayableInput,
  { format, header = [] }: CheckedInput,
  journal: Journal,
): Promise<void> {
  const formatRow = (cells: readonly string[], reason: string) =>
    // Cells of the input stay unchanged (`number`): only the reason needs an escape against formulas.
    formatCsv([[...removeReason(cells, header).map((number) => ({ number })), { text: reason }]], ',');
  let count = 0;
  if (format === 'csv') await file.write(formatRow(header, reasonColumn));
  for await (const row of rereadRows(input, format)) {
    const reason = findReason(row, journal);
    if (reason === undefined) continue;
    if (format === 'csv') await file.write(formatRow(row.raw as readonly string[], reason));
    else await file.write(formatItem(row, reason, format, count));
    count += 1;
  }
  if (format === 'json') await file.write(count === 0 ? '[]\n' : '\n]\n');
}

/**
 * Returns the cells of a row without the reason of an earlier import: one for each column, and those that an unquoted
 * separator has added.
 */
function removeReason(cells: readonly string[], header: readonly string[]): readonly string[] {
  const columnCount = header.filter((name) => name !== reasonColumn).length;
  const known = cells.filter((_, column) => header[column] !== reasonColumn);
  const length = Math.max(columnCount, known.findLastIndex((cell) => cell.trim() !== '') + 1);
  return Array.from({ length }, (_, column) => known[column] ?? '');
}

function findReason({ number, problems }: Row, journal: Journal): string | undefined {
  if (problems.length > 0) return problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  if (journal.getState(number) !== 'rejected') return undefined;
  return journal.getRejectReason(number) ?? '';
}

function formatItem({ raw }: Row, reason: string, format: 'json' | 'ndjson', index: number): string {
  const record = isRecord(raw) ? raw : { row: raw };
  const text = formatJson({ ...record, [reasonColumn]: reason });
  if (format === 'ndjson') return `${text}\n`;
  return `${index === 0 ? '[\n' : ',\n'}${text}`;
}
