import { createHash, hash } from 'node:crypto';
import { type NewPet, petStatuses } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import { formatCount, formatNumber } from '../../../format/duration.js';
import { formatCsv } from '../../../format/format-csv.js';
import { formatJson, isRecord, tryParseJson } from '../../../format/json.js';
import type { ImportFormat } from '../../../format/output-format.js';
import { detectDelimiter } from '../../../format/read-csv.js';
import type { TextPlace } from '../../../format/read-json-array.js';
import { checkNewPet } from '../check-new-pet.js';
import { type ImportInput, invalidInput, readRows, reasonColumn, splitHint } from './read-rows.js';

/** A valid row and its place in the input. There may be a million of them, so it holds no more than needed. */
export interface Row extends TextPlace, Omit<NewPet, 'status'> {
  /** Counts from 1. */
  readonly number: number;
  readonly status: NewPet['status'] | undefined;
  /** Identifies the row in a journal: a digest of its content, and its ordinal among equal rows if that is not 1. */
  key: string;
}

/** A row that was not added, since it is invalid or the service rejected it. */
export interface RejectedRow extends TextPlace {
  readonly number: number;
  readonly reason: string;
}

/** An input that was checked as a whole. */
export interface CheckedInput extends ImportInput {
  readonly rows: readonly Row[];
  /** A digest of the keys of the rows, in whatever order. */
  readonly digest: string;
  readonly invalid: readonly RejectedRow[];
}

const maxRows = 1_000_000;

/** Reads and checks all rows, and shows their number meanwhile. Prints invalid rows, even with `--quiet`. */
export async function checkInput(
  input: ImportInput,
  { signal, terminal }: Pick<AppContext, 'signal' | 'terminal'>,
): Promise<CheckedInput> {
  const rows: Row[] = [];
  const invalid: RejectedRow[] = [];
  const unknown = new Set<string>();
  const addUnknown = (name: string) => {
    if (name.trim() !== '' && name !== reasonColumn) unknown.add(name);
  };
  let count = 0;
  const progress = terminal.startProgress(() => `Checked ${formatCount(count, 'row')}`);
  try {
    for await (const batch of readRows(input, addUnknown)) {
      for (const { fields, problem, ...place } of batch) {
        count += 1;
        const checked = fields ? checkNewPet(fields) : { problem: `row ${problem}` };
        if (checked.pet) rows.push(toRow(checked.pet, place, count));
        else invalid.push({ ...place, number: count, reason: checked.problem });
      }
      if (count > maxRows) throw invalidInput(`the input has more than ${formatNumber(maxRows)} rows`, splitHint);
      // So that a signal can arrive.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  } finally {
    await progress.stop();
  }
  const digest = addOrdinals(rows);
  const noun = input.format === 'csv' ? 'column' : 'field';
  if (unknown.size > 0)
    terminal.notice(`Ignored unknown ${noun}${unknown.size === 1 ? '' : 's'}: ${[...unknown].join(', ')}.`);
  for (const row of invalid) terminal.errorLine(`${describePlace(row, input.format)}: ${row.reason}`);
  return { ...input, rows, digest, invalid };
}

function toRow({ name, categoryId, status }: NewPet, { start, end, line }: TextPlace, number: number): Row {
  const content = JSON.stringify([name, categoryId, status ?? '']);
  const key = hash('sha256', content, 'buffer').toString('base64url', 0, keyBytes);
  // Not a million copies of three words.
  return { number, start, end, line, name, categoryId, status: petStatuses.find((word) => word === status), key };
}

/** Bytes of the digest in a key. Among a million rows, two equal digests of 128 bits are practically impossible. */
const keyBytes = 16;

/** Numbers equal rows, so that their keys differ. Returns a digest of all keys. */
function addOrdinals(rows: readonly Row[]): string {
  const digest = createHash('sha256');
  let before = '';
  let ordinal = 1;
  for (const row of rows.toSorted((one, other) => (one.key < other.key ? -1 : one.key === other.key ? 0 : 1))) {
    ordinal = row.key === before ? ordinal + 1 : 1;
    before = row.key;
    if (ordinal > 1) row.key = `${row.key}.${ordinal}`;
    digest.update(`${row.key}\n`);
  }
  return digest.digest('hex');
}

/** Returns where messages say that a row is: `line 4`, or `row 3 (line 1)` in a JSON array, which may be on one line. */
export function describePlace({ number, line }: Pick<Row, 'number' | 'line'>, format: ImportFormat): string {
  return format === 'json' ? `row ${number} (line ${line})` : `line ${line}`;
}

/** Throws a usage error if rows are invalid. */
export function checkAllValid({ rows, invalid }: CheckedInput): void {
  if (invalid.length === 0) return;
  const total = formatCount(rows.length + invalid.length, 'row');
  throw invalidInput(
    `${formatNumber(invalid.length)} of ${total} ${invalid.length === 1 ? 'is' : 'are'} invalid; nothing was imported`,
    'fix the file, or pass --rejects <file> to import the valid rows',
  );
}

/** Yields the text of a rejects file: rows as they stand in the input, in its order, each with its reason. */
export function* formatRejects(input: CheckedInput, rejected: readonly RejectedRow[]): Generator<string> {
  const { bytes, format, rows: valid, invalid } = input;
  const decoder = new TextDecoder();
  const textOf = (start: number, end: number) =>
    decoder.decode(bytes.subarray(start, end)).replace(/^[\r\n]+|[\r\n]+$/g, '');
  const headerEnd = Math.min(...[valid, invalid].flatMap(([first]) => first?.start ?? []));
  const delimiter = detectDelimiter(bytes);
  if (format === 'csv') yield `${reasonColumn}${delimiter}${textOf(0, headerEnd)}\n`;
  if (format === 'json') yield '[\n';
  const last = rejected.length - 1;
  for (const [index, { start, end, reason }] of rejected.toSorted((one, other) => one.start - other.start).entries()) {
    const text = textOf(start, end);
    if (format === 'csv') {
      // The other cells stay unchanged: only a reason needs an escape against formulas.
      yield `${formatCsv([[{ text: reason }]], delimiter).trimEnd()}${delimiter}${text}\n`;
    } else {
      const value = tryParseJson(text)?.value;
      const item = formatJson({ ...(isRecord(value) ? value : { row: text.trim() }), [reasonColumn]: reason });
      yield format === 'json' && index < last ? `${item},\n` : `${item}\n`;
    }
  }
  if (format === 'json') yield ']\n';
}
