import { newPetFields } from '../../../api/pet.js';
import { type Hint, usageError } from '../../../failure.js';
import { isRecord, JsonError, toExactNumber, tryParseJson } from '../../../format/json.js';
import { CsvSyntaxError, readCsv } from '../../../format/read-csv.js';
import { type JsonItem, readJsonArray, readNdjson } from '../../../format/read-json-array.js';
import { type CheckedPet, checkNewPet } from '../check-new-pet.js';
import type { ImportFormat } from './options.js';

/** One row of the input: its pet, or its problems. */
export interface Row extends CheckedPet {
  /** Counts from 1. */
  readonly number: number;
  /** The first line of the row in the file; counts from 1. */
  readonly line: number;
  /** Where messages say that the row is: `line 4`, or `row 3 (line 1)` in a JSON array, which may be on one line. */
  readonly position: string;
  /** The cells of a table, or a JSON value; the text of a row that is not a JSON object. */
  readonly raw: unknown;
}

export interface ReadRowsOptions {
  readonly format: ImportFormat;
  /** The name of the input. */
  readonly source: string;
  /** Called once, with columns or keys that a new pet does not have. */
  readonly onUnknownFields?: (names: readonly string[]) => void;
  /** Called with the header row of a table. */
  readonly onHeader?: (cells: readonly string[]) => void;
}

/** Yields the rows as text arrives; throws a usage error if the format or the header row is invalid. */
export async function* readRows(chunks: AsyncIterable<string>, options: ReadRowsOptions): AsyncGenerator<Row> {
  try {
    if (options.format === 'csv') yield* readTable(chunks, options);
    else if (options.format === 'json')
      yield* readJson(readJsonArray(chunks), options, (number, line) => `row ${number} (line ${line})`);
    else yield* readJson(readNdjson(chunks), options, (_, line) => `line ${line}`);
  } catch (error) {
    if (error instanceof CsvSyntaxError) {
      throw invalidInput(`invalid CSV at line ${error.line}: ${error.message}`);
    }
    if (!(error instanceof JsonError)) throw error;
    if (error.reason === 'no-array') {
      throw invalidInput(
        `${options.source} must contain a JSON array`,
        'pass --format ndjson if each line is a pet, or --format csv for a table',
      );
    }
    throw invalidInput(`invalid JSON in ${options.source}: ${error.message}`);
  }
}

async function* readTable(
  chunks: AsyncIterable<string>,
  { onUnknownFields, onHeader }: ReadRowsOptions,
): AsyncGenerator<Row> {
  let columns: Columns | undefined;
  let number = 0;
  for await (const { cells, line } of readCsv(chunks)) {
    if (columns) {
      number += 1;
      yield { number, line, position: `line ${line}`, raw: cells, ...checkCells(cells, columns) };
      continue;
    }
    columns = parseHeader(cells);
    onHeader?.(cells);
    if (columns.unknown.length > 0) onUnknownFields?.(columns.unknown);
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
    else if (cell.trim() !== '' && cell !== reasonColumn) unknown.push(cell);
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

async function* readJson(
  items: AsyncIterable<JsonItem>,
  { onUnknownFields }: ReadRowsOptions,
  formatPosition: (number: number, line: number) => string,
): AsyncGenerator<Row> {
  let number = 0;
  const unknown = new Set<string>();
  for await (const { text, line } of items) {
    number += 1;
    const position = formatPosition(number, line);
    const raw = tryParseJson(text)?.value;
    if (!isRecord(raw)) {
      const message = raw === undefined ? 'is not valid JSON' : 'is not a JSON object';
      yield { number, line, position, raw: text, problems: [{ field: 'row', message }] };
      continue;
    }
    const { name, categoryId, status, ...rest } = raw;
    // Limits memory: a hostile file has a new key in every row.
    for (const key of Object.keys(rest)) {
      if (key !== reasonColumn && unknown.size < maxUnknownFields) unknown.add(key);
    }
    yield { number, line, position, raw, ...checkNewPet({ name, categoryId, status }) };
  }
  if (unknown.size > 0) onUnknownFields?.([...unknown]);
}

/** The column or field that `--rejects` adds to each row. An import ignores it without a notice. */
export const reasonColumn = 'reason';

/** The number of unknown fields that the notice lists. */
export const maxUnknownFields = 20;

function invalidInput(message: string, hint?: Hint) {
  return usageError('invalid_input', message, hint);
}
