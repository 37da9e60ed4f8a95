import { type CsvError, parse } from 'csv-parse';

/** A row of cells and the line that it begins on, counted from 1. */
export interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/** Why text is not CSV that petstore reads, and the line where that shows. */
export class CsvSyntaxError extends Error {
  override readonly name = 'CsvProblem';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/**
 * The rows of CSV (RFC 4180), header row included, as spreadsheets write it: with commas, semicolons or tabs,
 * whichever the first line has most of, or the one that a line `sep=;` names. Rows without any text are left
 * out. Throws a `CsvProblem` where a quote does not end.
 */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const { head, rest } = await splitFirstLine(chunks);
  const named = /^"?sep=(.)"?\r?\n?$/i.exec(head)?.[1];
  let parsed = 0;
  const parser = parse({
    delimiter: named ?? detectDelimiter(head),
    // A file that was mended by hand has more than one of them.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    on_record: (record, { lines, empty_lines }) => {
      // The parser is ahead of whoever reads, and its errors tell of no row that it has begun.
      parsed = lines;
      const row: ParsedRecord = { cells: record as string[], lines, emptyLines: empty_lines };
      // The types know of rows that stay lists alone.
      return row as unknown as string[];
    },
  });
  const feeding = feed(parser, named === undefined ? head : '', rest).catch((error) =>
    parser.destroy(error),
  );
  let line = named === undefined ? 0 : 1;
  let skipped = 0;
  try {
    for await (const item of parser) {
      const { cells, lines, emptyLines } = item as ParsedRecord;
      const begin = line + 1 + (emptyLines - skipped);
      skipped = emptyLines;
      line = lines + (named === undefined ? 0 : 1);
      if (cells.some((cell) => cell.trim() !== '')) yield { cells, line: begin };
    }
  } catch (error) {
    throw toCsvSyntaxError(error as CsvError, parsed + (named === undefined ? 1 : 2));
  }
  await feeding;
}

/** What the parser tells of a row; a million are alive for a moment, so that it is little. */
interface ParsedRecord {
  readonly cells: readonly string[];
  /** Read so far, empty ones included. */
  readonly lines: number;
  readonly emptyLines: number;
}

/** In characters; a quote that is not closed makes a row of all that follows. */
const maxRowLength = 1024 * 1024;

async function splitFirstLine(
  chunks: AsyncIterable<string>,
): Promise<{ head: string; rest: AsyncIterable<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let text = '';
  for (;;) {
    const { done, value } = await iterator.next();
    if (!done) text += value;
    const end = text.indexOf('\n');
    if (!done && end === -1 && text.length < maxRowLength) continue;
    const head = end === -1 ? text : text.slice(0, end + 1);
    return { head, rest: continued(text.slice(head.length), iterator) };
  }
}

async function* continued(text: string, iterator: AsyncIterator<string>): AsyncIterable<string> {
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
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).delimiter;
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
    return new CsvSyntaxError('a quote is not closed, or the row is longer than 1 MiB', line);
  }
  if (error.code?.startsWith('CSV_')) return new CsvSyntaxError('the row is not CSV', line);
  return error;
}
