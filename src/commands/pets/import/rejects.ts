import type { Files } from '../../../app/files.js';
import type { AtomicFile } from '../../../config/atomic-file.js';
import { Failure, usageError } from '../../../failure.js';
import { formatCsv } from '../../../format/format-csv.js';
import { formatJson, isRecord } from '../../../format/json.js';
import { type Checked, rowsOf } from './check-rows.js';
import type { Journal } from './journal.js';
import type { Row } from './read-rows.js';
import type { ReplayableInput } from './replayable-input.js';

/** A file for the rows that were not added, as they came, each with the reason. */
export interface Rejects {
  write(source: ReplayableInput, checked: Checked): Promise<void>;
  /** Leaves nothing behind, where nothing was written. */
  abandon(): Promise<void>;
}

/**
 * Opens the file before anything is sent. What is there already is kept, unless an earlier run of this import
 * made it; and once that was finished, somebody may be mending the rows in it.
 */
export async function openRejects(
  files: Files,
  path: string | undefined,
  journal: Journal,
): Promise<Rejects | undefined> {
  if (path === undefined) return undefined;
  const force = !journal.isFinished && journal.isForRejects(path);
  try {
    const file = await files.createFile(path, { force });
    return {
      write: async (source, checked) => {
        await writeRows(file, source, checked, journal);
        journal.keepRejects(path);
        await file.commit();
      },
      abandon: file.discard,
    };
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== 'file_exists') throw error;
    if (journal.isFinished && journal.isForRejects(path)) return undefined;
    throw usageError('file_exists', error.details.message, 'choose another name for the rejects');
  }
}

async function writeRows(
  file: AtomicFile,
  source: ReplayableInput,
  { format, header = [] }: Checked,
  journal: Journal,
): Promise<void> {
  // The reason of an earlier import has been dealt with.
  const kept = header.flatMap((name, index) => (name === reasonColumn ? [] : [index]));
  const cellsOf = (cells: readonly string[]) => kept.map((index) => cells[index] ?? '');
  let count = 0;
  if (format === 'csv') await file.write(csvLine(cellsOf(header), reasonColumn));
  for await (const row of rowsOf(source, format)) {
    const reason = reasonOf(row, journal);
    if (reason === undefined) continue;
    await file.write(
      format === 'csv'
        ? csvLine(cellsOf(cells(row)), reason, cells(row).slice(header.length))
        : jsonItem(row, reason, format, count),
    );
    count += 1;
  }
  if (format === 'json') await file.write(count === 0 ? '[]\n' : '\n]\n');
}

const reasonColumn = 'reason';

function reasonOf({ number, problems }: Row, journal: Journal): string | undefined {
  if (problems.length > 0)
    return problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  return journal.stateOf(number) === 'rejected' ? (journal.reasonOf(number) ?? '') : undefined;
}

function jsonItem(
  { source }: Row,
  reason: string,
  format: Checked['format'],
  count: number,
): string {
  const value = isRecord(source) ? source : { row: source };
  const text = formatJson({ ...value, [reasonColumn]: reason });
  if (format === 'ndjson') return `${text}\n`;
  return `${count === 0 ? '[\n' : ',\n'}${text}`;
}

function cells({ source }: Row): readonly string[] {
  return source as readonly string[];
}

/**
 * The cells as they came: a `'` before a formula is still there, and so are cells beyond the header. The reason
 * is the service's own text.
 */
function csvLine(cells: readonly string[], reason: string, beyond: readonly string[] = []): string {
  const asTheyCame = (texts: readonly string[]) => texts.map((number) => ({ number }));
  return formatCsv([[...asTheyCame(cells), { text: reason }, ...asTheyCame(beyond)]], ',');
}
