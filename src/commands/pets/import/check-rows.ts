import type { AppContext } from '../../../app/context.js';
import type { AtomicFile } from '../../../config/files.js';
import { usageError } from '../../../failure.js';
import { decodeText } from '../../../format/decode-text.js';
import { formatCount, formatNumber } from '../../../format/duration.js';
import { formatCsv } from '../../../format/format-csv.js';
import { formatJson, isRecord, tryParseJson } from '../../../format/json.js';
import { type ImportFormat, importFormatOfExtension } from '../../../format/output-format.js';
import { readCsv } from '../../../format/read-csv.js';
import type { TextPlace } from '../../../format/read-json-array.js';
import { type ParsedRows, type RowsInput, readRows, reasonColumn } from './read-rows.js';

export type CheckedInput = RowsInput & ParsedRows;

/** Reads and checks all rows, and shows their number meanwhile. Prints each problem, even with `--quiet`. */
export async function checkInput(
  raw: { readonly bytes: Uint8Array; readonly name: string; readonly format: ImportFormat | undefined },
  { signal, terminal }: Pick<AppContext, 'signal' | 'terminal'>,
): Promise<CheckedInput> {
  const bytes = decode(raw);
  const input = { bytes, name: raw.name, format: raw.format ?? detectFormat(raw.name, bytes) };
  let count = 0;
  const progress = terminal.startProgress(() => `Checked ${formatCount(count, 'row')}`);
  const pause = async (rowCount: number) => {
    count = rowCount;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  };
  const parsed = await readRows(input, pause).finally(progress.stop);
  const { unknownFields, invalid } = parsed;
  if (unknownFields.length > 0) terminal.notice(`Ignored unknown ${describeFields(unknownFields, input.format)}.`);
  const lines = invalid.flatMap((row) =>
    row.problems.map(({ field, message }) => `${describePlace(row, input.format)}: ${field} ${message}`),
  );
  lines.slice(0, maxListedProblems).forEach(terminal.errorLine);
  const hidden = lines.length - maxListedProblems;
  if (hidden > 0) terminal.errorLine(`and ${formatNumber(hidden)} more problems`);
  return { ...input, ...parsed };
}

const maxListedProblems = 1_000;
const maxListedFields = 20;

function describeFields(names: readonly string[], format: ImportFormat): string {
  const noun = `${format === 'csv' ? 'column' : 'field'}${names.length === 1 ? '' : 's'}`;
  const rest = names.length > maxListedFields ? ' and others' : '';
  return `${noun}: ${names.slice(0, maxListedFields).join(', ')}${rest}`;
}

/** Returns where messages say that a row is: `line 4`, or `row 3 (line 1)` in a JSON array, which may be on one line. */
export function describePlace(
  { number, line }: { readonly number: number; readonly line: number },
  format: ImportFormat,
): string {
  return format === 'json' ? `row ${number} (line ${line})` : `line ${line}`;
}

/** Throws a usage error if rows are invalid and `--rejects` does not save them. */
export function checkAllValid({ rows, invalid }: ParsedRows, hasRejects: boolean): void {
  if (invalid.length === 0 || hasRejects) return;
  const [verb, these, pronoun] = invalid.length === 1 ? ['is', 'the row', 'it'] : ['are', 'these rows', 'them'];
  const total = formatCount(rows.length + invalid.length, 'row');
  throw usageError(
    'invalid_input',
    `${formatNumber(invalid.length)} of ${total} ${verb} invalid; nothing was imported`,
    `fix ${these}${rows.length > 0 ? `, or pass --rejects <file> to save ${pronoun} and import the rest` : ''}`,
  );
}

function decode({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }): Uint8Array {
  const utf8 = decodeText(bytes);
  if (utf8) return utf8;
  const message = `cannot read ${name}: not UTF-8 or UTF-16 text`;
  throw usageError('invalid_input', message, 'save the file as UTF-8; spreadsheets call this "CSV UTF-8"');
}

/** Chooses the format by the file extension, else by the first character. */
function detectFormat(name: string, bytes: Uint8Array): ImportFormat {
  const format = importFormatOfExtension(name);
  if (format) return format;
  const first = bytes.find((byte) => byte > 0x20);
  return first === '['.charCodeAt(0) ? 'json' : first === '{'.charCodeAt(0) ? 'ndjson' : 'csv';
}

/** Writes rows as they stand in the input, with the reason of each, in the order of the input. */
export async function writeRejects(
  file: Pick<AtomicFile, 'write'>,
  { bytes, format, headerEnd }: CheckedInput,
  rejected: readonly RejectedRow[],
): Promise<void> {
  const sorted = [...rejected].sort((one, other) => one.start - other.start);
  const texts = sorted.map(({ start, end }) => bytes.subarray(start, end));
  if (format === 'csv') {
    const reasons = [reasonColumn, ...sorted.map(({ reason }) => reason)];
    // Together with the header row, which determines the delimiter.
    return writeTable(file, Buffer.concat([bytes.subarray(0, headerEnd), ...texts]), reasons);
  }
  for (const [index, { reason }] of sorted.entries()) {
    const text = texts[index] as Uint8Array;
    const value = tryParseJson(text)?.value;
    const record = isRecord(value) ? value : { row: new TextDecoder().decode(text).trim() };
    const item = formatJson({ ...record, [reasonColumn]: reason });
    await file.write(format === 'ndjson' ? `${item}\n` : `${index === 0 ? '[\n' : ',\n'}${item}`);
  }
  if (format === 'json') await file.write('\n]\n');
}

export interface RejectedRow extends TextPlace {
  readonly reason: string;
}

/** Writes the rows of a table with a reason each, in place of the reason of an earlier import. */
async function writeTable(
  file: Pick<AtomicFile, 'write'>,
  table: Uint8Array,
  reasons: readonly string[],
): Promise<void> {
  let header: readonly string[] | undefined;
  let index = 0;
  for await (const rows of readCsv(table)) {
    for (const { cells } of rows) {
      header ??= cells;
      const row = removeReason(cells, header).map((number) => ({ number }));
      // Cells of the input stay unchanged (`number`): only the reason needs an escape against formulas.
      await file.write(formatCsv([[...row, { text: reasons[index] ?? '' }]], ','));
      index += 1;
    }
  }
}

/** Returns the cells of a row without a reason: one for each column, and those that an unquoted separator has added. */
function removeReason(cells: readonly string[], header: readonly string[]): readonly string[] {
  const columnCount = header.filter((name) => name !== reasonColumn).length;
  const known = cells.filter((_, column) => header[column] !== reasonColumn);
  const length = Math.max(columnCount, known.findLastIndex((cell) => cell.trim() !== '') + 1);
  return Array.from({ length }, (_, column) => known[column] ?? '');
}
