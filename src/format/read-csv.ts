import { type CsvError, parse } from 'csv-parse';

/** A row of cells and the number of its first line, counted from 1. */
export interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
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
 * Yields the rows of CSV (RFC 4180), header row included. The delimiter is the comma, semicolon or tab that the first
 * line has most of, or the one that a line `sep=;` names. Blank rows are skipped. Throws a `CsvSyntaxError` for an
 * unclosed quote.
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const { head, rest } = await splitFirstLine(chunks);
  const declared = /^"?sep=(.)"?\r?\n?$/i.exec(head)?.[1];
  let parsed = 0;
  let doubleCounted = 0;
  const parser = parse({
    delimiter: declared ?? detectDelimiter(head),
    // Files edited by hand can mix line endings.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    on_record: (record, { lines, empty_lines }) => {
      // The parser runs ahead of the reader, and its errors do not name the line of the current row.
      const cells = record as string[];
      doubleCounted += countQuotedCrLf(cells);
      parsed = lines - doubleCounted;
      const row: ParsedRecord = { cells, lines: parsed, emptyLines: empty_lines };
      // The declared type allows arrays only.
      return row as unknown as string[];
    },
  });
  const feeding = feed(parser, declared === undefined ? head : '', rest).catch((error) => parser.destroy(error));
  let line = declared === undefined ? 0 : 1;
  let skipped = 0;
  try {
    for await (const item of parser) {
      const { cells, lines, emptyLines } = item as ParsedRecord;
      const firstLine = line + 1 + (emptyLines - skipped);
      skipped = emptyLines;
      line = lines + (declared === undefined ? 0 : 1);
      if (cells.some((cell) => cell.trim() !== '')) yield { cells, line: firstLine };
    }
  } catch (error) {
    throw toCsvSyntaxError(error as CsvError, parsed + (declared === undefined ? 1 : 2));
  }
  await feeding;
}

/** A parsed row. Up to a million are buffered, so it holds no more than needed. */
interface ParsedRecord {
  readonly cells: readonly string[];
  /** Number of lines read so far, empty lines included. */
  readonly lines: number;
  readonly emptyLines: number;
}

/** Returns how many CRLF the cells contain, all of them in quotes: the parser counts each as two lines. */
function countQuotedCrLf(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + cell.split('\r\n').length - 1, 0);
}

/** In characters. An unclosed quote turns the rest of the file into one row. */
const maxRowLength = 1024 * 1024;

async function splitFirstLine(chunks: AsyncIterable<string>): Promise<{ head: string; rest: AsyncIterable<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let text = '';
  for (;;) {
    const { done, value } = await iterator.next();
    if (!done) text += value;
    const end = text.indexOf('\n');
    if (!done && end === -1 && text.length < maxRowLength) continue;
    const head = end === -1 ? text : text.slice(0, end + 1);
    return { head, rest: prependText(text.slice(head.length), iterator) };
  }
}

async function* prependText(text: string, iterator: AsyncIterator<string>): AsyncIterable<string> {
  if (text !== '') yield text;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return;
    yield value;
  }
}

function detectDelimiter(head: string): string {
  const counts = [',', ';', '\t'].map((delimiter) => ({
    delimiter,
    count: head.split(delimiter).length,
  }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}

type Parser = ReturnType<typeof parse>;

async function feed(parser: Parser, head: string, rest: AsyncIterable<string>): Promise<void> {
  const closed = new Promise<void>((resolve) => parser.once('close', resolve));
  if (head !== '') parser.write(head);
  for await (const chunk of rest) {
    if (parser.destroyed) return;
    if (parser.write(chunk)) continue;
    await Promise.race([new Promise<void>((resolve) => parser.once('drain', resolve)), closed]);
  }
  parser.end();
}

function toCsvSyntaxError(error: CsvError, line: number): Error {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE') {
    return new CsvSyntaxError('unclosed quote, or a row longer than 1 MiB', line);
  }
  if (error.code?.startsWith('CSV_')) return new CsvSyntaxError('syntax error', line);
  return error;
}
