import type { Files, Journal, Source, WholeFile } from '../../../ports/files.js';
import { formatCsv } from '../../../text/csv.js';
import { formatJson } from '../../../text/json.js';
import { type Checked, rowsOf } from './check.js';
import type { Row } from './rows.js';

/** Opens the file for rows that were not added, before anything is sent; what is there already is kept. */
export function openRejects(files: Files, path: string, isResumed: boolean): Promise<WholeFile> {
  return files.createFile(path, { force: isResumed });
}

/** Writes the rows that describe no pet or that the service refused, as they came, each with the reason. */
export async function writeRejects(
  file: WholeFile,
  source: Source,
  { format, header = [] }: Checked,
  journal: Journal,
): Promise<void> {
  let count = 0;
  if (format === 'csv') await file.write(csvLine([...header, 'reason']));
  for await (const row of rowsOf(source, format)) {
    const reason = reasonOf(row, journal);
    if (reason === undefined) continue;
    await file.write(formatRow(row, reason, format, header.length, count));
    count += 1;
  }
  if (format === 'json') await file.write(count === 0 ? '[]\n' : '\n]\n');
  await file.commit();
}

function reasonOf({ number, problems }: Row, journal: Journal): string | undefined {
  if (problems.length > 0)
    return problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  return journal.stateOf(number) === 'rejected' ? (journal.reasonOf(number) ?? '') : undefined;
}

function formatRow(
  { source }: Row,
  reason: string,
  format: Checked['format'],
  width: number,
  count: number,
): string {
  if (format === 'csv') {
    const cells = source as readonly string[];
    const padding = Array.from({ length: Math.max(0, width - cells.length) }, () => '');
    return csvLine([...cells.slice(0, width), ...padding, reason]);
  }
  const value = typeof source === 'string' ? { row: source } : (source as object);
  const text = formatJson({ ...value, reason });
  if (format === 'ndjson') return `${text}\n`;
  return `${count === 0 ? '[\n' : ',\n'}${text}`;
}

/** The cells as they came: a `'` before a formula is still there. */
function csvLine(cells: readonly string[]): string {
  return formatCsv([cells.map((number) => ({ number }))], ',');
}
