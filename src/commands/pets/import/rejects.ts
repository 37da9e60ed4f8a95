import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Files } from '../../../app/files.js';
import { Failure, usageError } from '../../../failure.js';
import { formatCsv } from '../../../format/format-csv.js';
import { formatJson, isRecord } from '../../../format/json.js';
import { type CheckedInput, rereadRows } from './check-rows.js';
import type { Journal } from './journal.js';
import type { EarlierRuns } from './open-journal.js';
import type { ImportOptions } from './options.js';
import { type Row, reasonColumn } from './read-rows.js';
import type { ReplayableInput } from './replayable-input.js';

/**
 * Opens the file for rejected rows, which stay unchanged and get a reason. Without `force`, replaces an existing file
 * only if an earlier run of this import wrote it and nothing has changed it. After a finished import the user may be
 * fixing its rows, so it stays.
 */
export async function openRejectsFile(
  files: Files,
  { rejects: path, force }: Pick<ImportOptions, 'rejects' | 'force'>,
  journal: Journal,
) {
  if (path === undefined) return undefined;
  const digest = await files.findDigest(path);
  const isUnchanged = digest !== undefined && journal.ownsRejectsFile(path, digest);
  try {
    const file = await files.createFile(path, { force: force === true || (isUnchanged && !journal.isFinished) });
    return {
      write: async (input: ReplayableInput, checked: CheckedInput) => {
        const hash = createHash('sha256');
        const write = (text: string) => {
          hash.update(text);
          return file.write(text);
        };
        await writeRows(write, input, checked, journal);
        journal.recordRejectsFile(path, hash.digest('hex'));
        await file.commit();
      },
      /** Removes the file if nothing was written. */
      discard: file.discard,
    };
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== 'file_exists') throw error;
    if (journal.isFinished && journal.ownsRejectsFile(path)) return undefined;
    throw fileExists(error.details.message);
  }
}

/** Throws if the file for rejected rows exists, unless `force`, or an earlier run wrote it and nothing has changed it. */
export async function checkRejectsFile(
  files: Files,
  { rejects: path, force }: Pick<ImportOptions, 'rejects' | 'force'>,
  { rejectsFiles }: EarlierRuns,
): Promise<void> {
  if (path === undefined || force) return;
  const digest = await files.findDigest(path);
  if (digest === undefined || rejectsFiles.get(resolve(path))?.has(digest)) return;
  throw fileExists(`${path} already exists`);
}

function fileExists(message: string): Failure {
  return usageError('file_exists', message, 'pass --rejects with another file name, or pass --force');
}

async function writeRows(
  write: (text: string) => Promise<void>,
  input: ReplayableInput,
  { format, header = [] }: CheckedInput,
  journal: Journal,
): Promise<void> {
  const formatRow = (cells: readonly string[], reason: string) =>
    // Cells of the input stay unchanged (`number`): only the reason needs an escape against formulas.
    formatCsv([[...removeReason(cells, header).map((number) => ({ number })), { text: reason }]], ',');
  let count = 0;
  if (format === 'csv') await write(formatRow(header, reasonColumn));
  for await (const row of rereadRows(input, format)) {
    const reason = findReason(row, journal);
    if (reason === undefined) continue;
    if (format === 'csv') await write(formatRow(row.raw as readonly string[], reason));
    else await write(formatItem(row, reason, format, count));
    count += 1;
  }
  if (format === 'json') await write(count === 0 ? '[]\n' : '\n]\n');
}

/**
 * Returns the cells of a row without the reason of an earlier import. If an unquoted comma has split a cell, the reason is
 * the last cell. The result has a cell for each column, and the additional cells.
 */
function removeReason(cells: readonly string[], header: readonly string[]): readonly string[] {
  const index = header.indexOf(reasonColumn);
  const last = findLastFilled(cells);
  // A spreadsheet adds blank cells to a header row that is shorter than other rows.
  if (index >= 0 && index === findLastFilled(header)) {
    const lastOfLongRow = cells.length > header.length ? cells.length - 1 : index;
    return resizeRow(cells.slice(0, Math.max(index, last, lastOfLongRow)), index);
  }
  const columnCount = header.filter((name) => name !== reasonColumn).length;
  // In a long row, the cell below `reason` may be part of another one.
  const known = last < header.length ? cells.filter((_, column) => header[column] !== reasonColumn) : cells;
  return resizeRow(known, columnCount);
}

/** Returns a row with at least this number of cells; further cells at its end are not blank. */
function resizeRow(cells: readonly string[], columnCount: number): readonly string[] {
  return Array.from({ length: Math.max(columnCount, findLastFilled(cells) + 1) }, (_, column) => cells[column] ?? '');
}

function findLastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '');
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
