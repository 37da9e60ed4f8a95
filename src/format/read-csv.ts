import { promisify } from 'node:util';
import { type CsvError, parse } from 'csv-parse';
import type { TextPlace } from './read-json-array.js';

export interface CsvRow extends TextPlace {
  readonly cells: readonly string[];
}

/** Error for text that is not CSV. The message starts with the line and never quotes the text. */
export class CsvSyntaxError extends Error {
  override readonly name = 'CsvSyntaxError';
}

/**
 * Yields the rows of CSV (RFC 4180) in UTF-8, header row included, some at a time. Blank rows are skipped. Throws a
 * `CsvSyntaxError` for an unclosed quote.
 */
export async function* readCsv(bytes: Uint8Array): AsyncGenerator<readonly CsvRow[]> {
  let rows: CsvRow[] = [];
  let start = 0;
  let line = 1;
  const skipTo = (end: number) => {
    for (; start < end; start += 1) if (bytes[start] === lineFeed) line += 1;
  };
  const skipBlankLines = () => {
    let at = start;
    while (bytes[at] === lineFeed || bytes[at] === carriageReturn) at += 1;
    skipTo(at);
  };
  const parser = parse({
    delimiter: detectDelimiter(bytes),
    // Files edited by hand can mix line endings.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    on_record: (cells: string[], { bytes: end }) => {
      skipBlankLines();
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ cells, start, end, line });
      skipTo(end);
      return null;
    },
  });
  // The callbacks below report it.
  parser.on('error', () => {}).resume();
  try {
    for (let at = 0; at < bytes.length; at += chunkSize) {
      await promisify(parser.write.bind(parser) as Write)(bytes.subarray(at, at + chunkSize));
      yield rows;
      rows = [];
    }
    await promisify(parser.end.bind(parser) as (done: () => void) => void)();
    yield rows;
  } catch (error) {
    skipBlankLines();
    throw toCsvSyntaxError(error as CsvError, line);
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

type Write = (chunk: Uint8Array, done: (error?: Error | null) => void) => void;

/** In bytes. */
const chunkSize = 65_536;

/** In characters. An unclosed quote turns the rest of the file into one row. */
const maxRowLength = 1024 * 1024;

/** Returns the comma, semicolon or tab that the first line of a table has most of. */
export function detectDelimiter(bytes: Uint8Array): string {
  const [firstLine = ''] = new TextDecoder().decode(bytes.subarray(0, chunkSize)).split('\n', 1);
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function toCsvSyntaxError(error: CsvError, line: number): Error {
  if (!error.code?.startsWith('CSV_')) return error;
  const isUnclosed = error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE';
  const problem = isUnclosed ? 'unclosed quote, or a row longer than 1 MiB' : 'syntax error';
  return new CsvSyntaxError(`line ${line}: ${problem}`);
}
