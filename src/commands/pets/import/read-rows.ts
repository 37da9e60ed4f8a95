import { createHash, hash } from 'node:crypto';
import { type NewPet, newPetFields, petStatuses } from '../../../api/pet.js';
import { type Hint, usageError } from '../../../failure.js';
import { formatNumber } from '../../../format/duration.js';
import { isRecord, JsonError, toExactNumber, tryParseJson } from '../../../format/json.js';
import type { ImportFormat } from '../../../format/output-format.js';
import { CsvSyntaxError, readCsv } from '../../../format/read-csv.js';
import { readJsonArray, readNdjson, type TextPlace } from '../../../format/read-json-array.js';
import { type CheckedPet, checkNewPet } from '../check-new-pet.js';

/** A row of the input and its place there. There may be a million of them, so it holds no more than needed. */
export interface Row extends TextPlace, Omit<NewPet, 'status'> {
  /** Counts from 1. */
  readonly number: number;
  readonly status: NewPet['status'] | undefined;
  /** Identifies the row in a journal: a digest of its content, and its ordinal among equal rows if that is not 1. */
  key: string;
}

interface InvalidRow extends TextPlace {
  readonly number: number;
  readonly problems: CheckedPet['problems'];
}

export interface RowsInput {
  /** UTF-8 without a byte order mark. */
  readonly bytes: Uint8Array;
  readonly format: ImportFormat;
  /** The path, or `standard input`. */
  readonly name: string;
}

/** The rows of an input that was read and checked as a whole. */
export interface ParsedRows {
  readonly rows: readonly Row[];
  /** A digest of the keys of the rows, in whatever order. */
  readonly digest: string;
  readonly invalid: readonly InvalidRow[];
  /** The byte after the header row of a table; 0 for JSON. */
  readonly headerEnd: number;
  /** Columns or keys that a new pet does not have. */
  readonly unknownFields: readonly string[];
}

/**
 * Reads all rows; throws a usage error if the format or the header row is invalid, or if there are more than a million.
 * Calls `pause` every few milliseconds, so that a signal can arrive.
 */
export async function readRows(input: RowsInput, pause: (rowCount: number) => Promise<void>): Promise<ParsedRows> {
  const collector = createCollector();
  try {
    if (input.format === 'csv') await readTable(input.bytes, collector, pause);
    else await readItems(input, collector, pause);
    return collector.finish();
  } catch (error) {
    if (error instanceof CsvSyntaxError) throw invalidInput(`invalid CSV at line ${error.line}: ${error.message}`);
    if (!(error instanceof JsonError)) throw error;
    const hint = error.isTruncated
      ? undefined
      : 'pass --format ndjson if each line is a pet, or --format csv for a table';
    throw invalidInput(`invalid JSON in ${input.name}: ${error.message}`, hint);
  }
}

const maxRows = 1_000_000;

/** The hint for an input that does not fit into memory. */
export const splitHint = 'import the file in parts, such as those that `split -l 500000` writes';

type Collector = ReturnType<typeof createCollector>;

function createCollector() {
  const rows: Row[] = [];
  const invalid: InvalidRow[] = [];
  const unknownFields = new Set<string>();
  let headerEnd = 0;
  return {
    count: () => rows.length + invalid.length,
    endHeader: (end: number) => {
      headerEnd = end;
    },
    addUnknownField: (name: string) => {
      // Limits memory: a hostile file has a new key in every row.
      if (name !== reasonColumn && unknownFields.size < maxUnknownFields) unknownFields.add(name);
    },
    add: ({ pet, problems }: CheckedPet, { start, end, line }: TextPlace) => {
      const number = rows.length + invalid.length + 1;
      if (number > maxRows) throw invalidInput(`the input has more than ${formatNumber(maxRows)} rows`, splitHint);
      if (!pet) invalid.push({ number, start, end, line, problems });
      else {
        const { name, categoryId } = pet;
        // Not a million copies of three words.
        const status = petStatuses.find((word) => word === pet.status);
        rows.push({ number, start, end, line, name, categoryId, status, key: digestPet(pet) });
      }
    },
    finish: (): ParsedRows => {
      const digest = addOrdinals(rows);
      return { rows, digest, invalid, headerEnd, unknownFields: [...unknownFields] };
    },
  };
}

function digestPet({ name, categoryId, status }: NewPet): string {
  const text = JSON.stringify([name, categoryId, status ?? '']);
  return hash('sha256', text, 'buffer').toString('base64url', 0, keyBytes);
}

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

/** Bytes of the digest in a key. Among a million rows, two equal digests of 128 bits are practically impossible. */
const keyBytes = 16;

async function readTable(
  bytes: Uint8Array,
  collector: Collector,
  pause: (rowCount: number) => Promise<void>,
): Promise<void> {
  let columns: Columns | undefined;
  for await (const batch of readCsv(bytes)) {
    for (const { cells, ...place } of batch) {
      if (columns) collector.add(checkCells(cells, columns), place);
      else {
        columns = parseHeader(cells);
        collector.endHeader(place.end);
        columns.unknown.forEach(collector.addUnknownField);
      }
    }
    await pause(collector.count());
  }
  if (!columns) throw invalidInput('the CSV has no header row', headerHint);
}

interface Columns {
  /** The column of each field of a pet. */
  readonly indexes: Readonly<Record<string, number>>;
  readonly unknown: readonly string[];
  readonly count: number;
}

function parseHeader(header: readonly string[]): Columns {
  const indexes: Record<string, number> = {};
  const unknown: string[] = [];
  for (const [index, cell] of header.entries()) {
    const field = newPetFields.find(({ name }) => normalize(name) === normalize(cell))?.name;
    if (field !== undefined && indexes[field] !== undefined) {
      throw invalidInput(`the header row has two "${field}" columns`, 'remove or rename one of them');
    }
    if (field !== undefined) indexes[field] = index;
    else if (cell.trim() !== '') unknown.push(cell);
  }
  for (const { name, required } of newPetFields) {
    if (indexes[name] !== undefined || !required) continue;
    const isJson = /^\s*[[{]/.test(header[0] ?? '');
    const hint = isJson ? 'pass --format json or --format ndjson for JSON' : headerHint;
    throw invalidInput(`the header row has no "${name}" column`, hint);
  }
  return { indexes, unknown, count: header.length };
}

const headerHint = 'start the file with a row that names the columns, such as name,categoryId,status';

/** Spreadsheets and people write `Category ID` and `category_id` for one column. */
function normalize(name: string): string {
  return name.replace(/[\s_-]/g, '').toLowerCase();
}

/** Checks one row. An additional cell is the only problem, since an unquoted comma may have moved the other cells. */
function checkCells(cells: readonly string[], { indexes, count }: Columns): CheckedPet {
  if (cells.slice(count).some((cell) => cell.trim() !== '')) {
    const message = `has ${cells.length} cells instead of ${count}: put quotes around a cell that contains a separator`;
    return { problems: [{ field: 'row', message }] };
  }
  const getCell = (field: string) => cells[indexes[field] ?? -1] ?? '';
  const status = getCell('status').trim();
  const categoryId = getCell('categoryId').trim();
  return checkNewPet({
    // Exports put a `'` before names that a spreadsheet would run as a formula.
    name: getCell('name').replace(/^'(?=[=+\-@\t\r'])/, ''),
    // Rejects 9.22E+18: the spreadsheet has dropped the last digits.
    categoryId: /^(0|-?[1-9]\d*)$/.test(categoryId) ? toExactNumber(categoryId) : categoryId || undefined,
    ...(status !== '' && { status }),
  });
}

async function readItems(
  { bytes, format }: RowsInput,
  collector: Collector,
  pause: (rowCount: number) => Promise<void>,
): Promise<void> {
  for (const place of format === 'json' ? readJsonArray(bytes) : readNdjson(bytes)) {
    const value = tryParseJson(bytes.subarray(place.start, place.end))?.value;
    if (isRecord(value)) {
      const { name, categoryId, status, ...rest } = value;
      Object.keys(rest).forEach(collector.addUnknownField);
      collector.add(checkNewPet({ name, categoryId, status }), place);
    } else {
      const message = value === undefined ? 'is not valid JSON' : 'is not a JSON object';
      collector.add({ problems: [{ field: 'row', message }] }, place);
    }
    if (collector.count() % itemsPerPause === 0) await pause(collector.count());
  }
}

const itemsPerPause = 500;

/** The column or field that `--rejects` adds to each row. An import ignores it without a notice. */
export const reasonColumn = 'reason';

/** The number of unknown fields that are collected: one more than the notice lists. */
const maxUnknownFields = 21;

function invalidInput(message: string, hint?: Hint) {
  return usageError('invalid_input', message, hint);
}
