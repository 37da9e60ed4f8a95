import { type CsvError, parse } from 'csv-parse';
import { countLineBreaks, type TextPlace } from './text-lines.js';

export interface CsvRow extends TextPlace {
  readonly cells: readonly string[];
}

export class CsvSyntaxError extends Error {
  override readonly name = 'CsvSyntaxError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/**
 * Yields the rows of CSV (RFC 4180) in UTF-8, header row included, some at a time. The delimiter is the comma, semicolon or
 * tab that the first line has most of, or the one that a line `sep=;` names. Blank rows are skipped. Throws a
 * `CsvSyntaxError` for an unclosed quote.
 */
export async function* readCsv(bytes: Uint8Array): AsyncGenerator<readonly CsvRow[]> {
  const firstLine = decode(bytes.subarray(0, maxRowLength)).split('\n', 1)[0] ?? '';
  const declared = /^"?sep=(.)"?\r?$/i.exec(firstLine)?.[1];
  const first = declared === undefined ? 0 : Math.min(bytes.length, Buffer.byteLength(firstLine) + 1);
  let rows: CsvRow[] = [];
  let start = first;
  let line = declared === undefined ? 1 : 2;
  const skipTo = (end: number) => {
    line += countLineBreaks(bytes, start, end);
    start = end;
  };
  const skipBlankLines = () => {
    let at = start;
    while (bytes[at] === 0x0a || bytes[at] === 0x0d) at += 1;
    skipTo(at);
  };
  const parser = parse({
    delimiter: declared ?? detectDelimiter(firstLine),
    // Files edited by hand can mix line endings.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    on_record: (cells: string[], info) => {
      const end = first + info.bytes;
      skipBlankLines();
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ cells, start, end, line });
      skipTo(end);
      return null;
    },
  });
  const failed = new Promise<never>((_, reject) => parser.once('error', reject));
  failed.catch(() => {});
  const finish = (work: (done: () => void) => void) => Promise.race([new Promise<void>(work), failed]);
  try {
    for (let at = first; at < bytes.length; at += chunkSize) {
      await finish((done) => parser.write(bytes.subarray(at, at + chunkSize), done));
      yield rows;
      rows = [];
    }
    await finish((done) => parser.resume().end().once('end', done));
    yield rows;
  } catch (error) {
    skipBlankLines();
    throw toCsvSyntaxError(error as CsvError, line);
  }
}

/** In bytes. */
const chunkSize = 65_536;

/** In characters. An unclosed quote turns the rest of the file into one row. */
const maxRowLength = 1024 * 1024;

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function detectDelimiter(firstLine: string): string {
  const counts = [',', ';', '\t'].map((delimiter) => ({
    delimiter,
    count: firstLine.split(delimiter).length,
  }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}

function toCsvSyntaxError(error: CsvError, line: number): Error {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE') {
    return new CsvSyntaxError('unclosed quote, or a row longer than 1 MiB', line);
  }
  if (error.code?.startsWith('CSV_')) return new CsvSyntaxError('syntax error', line);
  return error;
}
