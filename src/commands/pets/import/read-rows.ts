import { newPetFields } from '../../../api/pet.js';
import { usageError } from '../../../failure.js';
import { isRecord, JsonError, toExactNumber, tryParseJson } from '../../../format/json.js';
import { CsvSyntaxError, readCsv } from '../../../format/read-csv.js';
import { type JsonItem, readJsonArray, readNdjson } from '../../../format/read-json-array.js';
import { suggestSimilar } from '../../../format/suggest.js';
import { type CheckedPet, checkNewPet } from '../check-new-pet.js';
import type { ImportFormat } from './choices.js';

/** A row of an import: the pet that it describes, or what is wrong with it. */
export interface Row extends CheckedPet {
  /** Counted from 1. */
  readonly number: number;
  /** Where it begins in its file, counted from 1. */
  readonly line: number;
  /** As it came: cells of a table, or a JSON value; text where it could not be read. */
  readonly source: unknown;
}

export interface RowsOptions {
  readonly format: ImportFormat;
  /** Told once of columns or keys that a new pet does not have. */
  readonly onOthers: (names: readonly string[]) => void;
  /** Told of the header row, where there is one. */
  readonly onHeader?: (cells: readonly string[]) => void;
}

/** The rows of a file, as it comes. Fails (usage) where it is not of the format, or has no usable header. */
export function readRows(chunks: AsyncIterable<string>, options: RowsOptions): AsyncGenerator<Row> {
  if (options.format === 'csv') return readTable(chunks, options);
  return readJson(options.format === 'json' ? readJsonArray(chunks) : readNdjson(chunks), options);
}

async function* readTable(
  chunks: AsyncIterable<string>,
  { onOthers, onHeader = () => {} }: RowsOptions,
): AsyncGenerator<Row> {
  let columns: Columns | undefined;
  let number = 0;
  try {
    for await (const { cells, line } of readCsv(chunks)) {
      if (!columns) {
        columns = columnsOf(cells);
        onHeader(cells);
        if (columns.others.length > 0) onOthers(columns.others);
        continue;
      }
      number += 1;
      yield { number, line, source: cells, ...checkCells(cells, columns) };
    }
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    throw invalid(`line ${error.line} cannot be read: ${error.message}`);
  }
  if (!columns) throw invalid('there is no header row');
}

/** Where a new pet's fields stand in a row. */
interface Columns {
  readonly at: Readonly<Record<string, number>>;
  readonly others: readonly string[];
  readonly width: number;
}

function columnsOf(header: readonly string[]): Columns {
  const at: Record<string, number> = {};
  const others: string[] = [];
  const known = newPetFields.map((field) => field.name);
  for (const [index, cell] of header.entries()) {
    const field = known.find((name) => plain(name) === plain(cell));
    if (field !== undefined && at[field] !== undefined) {
      throw invalid(`the header row has "${field}" twice`);
    }
    if (field !== undefined) at[field] = index;
    else if (cell.trim() !== '') others.push(cell);
  }
  for (const { name, required } of newPetFields) {
    if (at[name] !== undefined || !required) continue;
    const near = others.find((other) => suggestSimilar(other, [name]) !== undefined);
    if (near !== undefined) throw invalid(`the header row has "${near}" where "${name}" was meant`);
    const hint = 'the first row of CSV names the columns: name,categoryId,status';
    throw usageError('invalid_input', `the header row has no "${name}"`, hint);
  }
  return { at, others, width: header.length };
}

/** A row with a cell too many may have one that fell apart at a comma, and says something else than was meant. */
function checkCells(cells: readonly string[], columns: Columns): CheckedPet {
  const { width } = columns;
  const checked = checkNewPet(petOf(cells, columns));
  if (cells.slice(width).every((cell) => cell.trim() === '')) return checked;
  const message = `has ${cells.length} cells where the header has ${width}`;
  return { problems: [{ field: 'row', message }, ...checked.problems] };
}

/** Spreadsheets and people write `Category ID` and `category_id` for one column. */
function plain(name: string): string {
  return name.replace(/[\s_-]/g, '').toLowerCase();
}

function petOf(cells: readonly string[], { at }: Columns) {
  const cell = (field: string) => cells[at[field] ?? -1] ?? '';
  const status = cell('status').trim();
  const category = cell('categoryId').trim();
  return {
    // The `'` that keeps spreadsheets from running a name as a formula is none of the name.
    name: cell('name').replace(/^'(?=[=+\-@\t\r'])/, ''),
    // A spreadsheet shortens long numbers, and their last digits are gone.
    categoryId: /^(0|-?[1-9]\d*)$/.test(category) ? toExactNumber(category) : undefined,
    ...(status !== '' && { status }),
  };
}

async function* readJson(
  items: AsyncIterable<JsonItem>,
  { onOthers }: RowsOptions,
): AsyncGenerator<Row> {
  let number = 0;
  const others = new Set<string>();
  try {
    for await (const { text, line } of items) {
      number += 1;
      const source = tryParseJson(text)?.value;
      if (!isRecord(source)) {
        const message = source === undefined ? 'is not valid JSON' : 'is not a JSON object';
        yield { number, line, source: text, problems: [{ field: 'row', message }] };
        continue;
      }
      const { name, categoryId, status, ...more } = source;
      // A hostile file has a new key in every row.
      for (const key of Object.keys(more)) if (others.size < mostOthers) others.add(key);
      yield { number, line, source, ...checkNewPet({ name, categoryId, status }) };
    }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(`the file cannot be read as JSON: ${error.message}`);
  }
  if (others.size > 0) onOthers([...others]);
}

/** As many keys that no pet has as are kept and told. */
export const mostOthers = 20;

function invalid(message: string) {
  return usageError('invalid_input', message);
}
