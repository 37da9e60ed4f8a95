import { newPetFields } from '../../../api/pet.js';
import { type Hint, usageError } from '../../../failure.js';
import { decodeText } from '../../../format/decode-text.js';
import { isRecord, JsonError, toExactNumber, tryParseJson } from '../../../format/json.js';
import { formatOfExtension, type ImportFormat } from '../../../format/output-format.js';
import { CsvSyntaxError, readCsv } from '../../../format/read-csv.js';
import { readJsonArray, readNdjson, type TextPlace } from '../../../format/read-json-array.js';

/** The text of an input. */
export interface ImportInput {
  /** UTF-8 without a byte order mark. */
  readonly bytes: Uint8Array;
  readonly format: ImportFormat;
  /** The path, or `standard input`. */
  readonly name: string;
}

/** A row of the input: its fields, or why they cannot be read. */
interface InputRow extends TextPlace {
  readonly fields?: { readonly name?: unknown; readonly categoryId?: unknown; readonly status?: unknown };
  readonly problem?: string;
}

/** The hint for an input that does not fit into memory. */
export const splitHint = 'import the file in parts, each with the header row if it is CSV';

/** The column or field that `--rejects` adds to each row. An import ignores it without a notice. */
export const reasonColumn = 'reason';

/** Decodes an input; throws a usage error for another encoding. The default format depends on extension and content. */
export function decodeInput(raw: Uint8Array, name: string, format: ImportFormat | undefined): ImportInput {
  const known = format ?? formatOfExtension(name);
  if (known === 'yaml') throw invalidInput(`cannot import YAML: ${name}`, 'convert the file to CSV, JSON or NDJSON');
  const bytes = decodeText(raw);
  if (bytes) return { bytes, name, format: known === 'tsv' ? 'csv' : (known ?? detectFormat(bytes)) };
  const message = `cannot read ${name}: not UTF-8 or UTF-16 text`;
  throw usageError('invalid_input', message, 'save the file as UTF-8; spreadsheets call this "CSV UTF-8"');
}

function detectFormat(bytes: Uint8Array): ImportFormat {
  const first = bytes.find((byte) => byte > 0x20);
  return first === '['.charCodeAt(0) ? 'json' : first === '{'.charCodeAt(0) ? 'ndjson' : 'csv';
}

/**
 * Yields all rows, some at a time. Throws a usage error if the format or the header row is invalid. `onUnknownField`
 * receives columns and keys that a new pet does not have.
 */
export async function* readRows(input: ImportInput, onUnknownField: (name: string) => void) {
  try {
    yield* input.format === 'csv' ? readTable(input, onUnknownField) : readItems(input, onUnknownField);
  } catch (error) {
    if (error instanceof CsvSyntaxError) throw invalidInput(`invalid CSV at ${error.message}`);
    if (!(error instanceof JsonError)) throw error;
    const hint = 'pass --format ndjson if each line is a pet, or --format csv for a table';
    throw invalidInput(`invalid JSON in ${input.name}: ${error.message}`, error.isTruncated ? undefined : hint);
  }
}

async function* readTable({ bytes }: ImportInput, onUnknownField: (name: string) => void) {
  let columns: Columns | undefined;
  for await (const batch of readCsv(bytes)) {
    const rows: InputRow[] = [];
    for (const { cells, start, end, line } of batch) {
      if (columns) rows.push({ start, end, line, ...readCells(cells, columns) });
      else columns = parseHeader(cells, onUnknownField);
    }
    yield rows;
  }
  if (!columns) throw invalidInput('the CSV has no header row', headerHint);
}

type Columns = ReturnType<typeof parseHeader>;

/** Returns the column of each field of a pet, and the number of columns. */
function parseHeader(header: readonly string[], onUnknownField: (name: string) => void) {
  const indexes: Record<string, number> = {};
  for (const [index, cell] of header.entries()) {
    const field = newPetFields.find(({ name }) => name === cell.trim())?.name;
    if (field === undefined) onUnknownField(cell);
    else if (indexes[field] === undefined) indexes[field] = index;
    else throw invalidInput(`the header row has two "${field}" columns`, 'remove or rename one of them');
  }
  const missing = newPetFields.find(({ name, required }) => required && indexes[name] === undefined);
  if (missing) throw invalidInput(`the header row has no "${missing.name}" column`, headerHint);
  return { indexes, count: header.length };
}

const headerHint = 'start the file with a row that names the columns, such as name,categoryId,status';

/** An additional cell is the only problem, since an unquoted comma may have moved the other cells. */
function readCells(cells: readonly string[], { indexes, count }: Columns): Pick<InputRow, 'fields' | 'problem'> {
  if (cells.slice(count).some((cell) => cell.trim() !== '')) {
    const hint = 'put quotes around a cell that contains a separator';
    return { problem: `has ${cells.length} cells instead of ${count}: ${hint}` };
  }
  const getCell = (field: string) => cells[indexes[field] ?? -1] ?? '';
  // Exports put a `'` before names that a spreadsheet would run as a formula.
  const name = getCell('name').replace(/^'(?=[=+\-@\t\r'])/, '');
  const digits = getCell('categoryId').trim();
  // Rejects 9.22E+18: the spreadsheet has dropped the last digits.
  const categoryId = /^(0|-?[1-9]\d*)$/.test(digits) ? toExactNumber(digits) : digits || undefined;
  return { fields: { name, categoryId, status: getCell('status').trim() || undefined } };
}

function* readItems({ bytes, format }: ImportInput, onUnknownField: (name: string) => void) {
  let batch: InputRow[] = [];
  for (const place of format === 'json' ? readJsonArray(bytes) : readNdjson(bytes)) {
    const value = tryParseJson(bytes.subarray(place.start, place.end))?.value;
    if (isRecord(value)) {
      const { name, categoryId, status, ...rest } = value;
      Object.keys(rest).forEach(onUnknownField);
      batch.push({ ...place, fields: { name, categoryId, status } });
    } else batch.push({ ...place, problem: value === undefined ? 'is not valid JSON' : 'is not a JSON object' });
    if (batch.length < itemsPerBatch) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

const itemsPerBatch = 500;

/** Returns the usage error for an input that cannot be imported. */
export function invalidInput(message: string, hint?: Hint) {
  return usageError('invalid_input', message, hint);
}
