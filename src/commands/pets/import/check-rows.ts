import { type Failure, usageError } from '../../../failure.js';
import { decodeText, EncodingError } from '../../../format/decode-text.js';
import { type ImportFormat, importFormats } from './choices.js';
import { mostOthers, type Row, type RowsOptions, readRows } from './read-rows.js';
import type { ReplayableInput } from './replayable-input.js';

/** What a file holds, found before anything is sent. */
export interface Checked {
  readonly format: ImportFormat;
  /** The first row of a table. */
  readonly header: readonly string[] | undefined;
  readonly rows: number;
  /** Rows that describe no pet. */
  readonly invalid: number;
}

/** Reads all rows once, and tells of all that is wrong with them, a line each. */
export async function checkRows(
  source: ReplayableInput,
  {
    format: given,
    notice,
  }: { readonly format: ImportFormat | undefined; readonly notice: (text: string) => void },
): Promise<Checked> {
  let header: readonly string[] | undefined;
  let rows = 0;
  let invalid = 0;
  let told = 0;
  const { format, text } = await detect(source, given);
  const options: RowsOptions = {
    format,
    onHeader: (cells) => {
      header = cells;
    },
    onOthers: (names) => {
      const more = names.length > mostOthers ? ` and ${names.length - mostOthers} more` : '';
      const shown = names.slice(0, mostOthers).join(', ');
      notice(`left out what a new pet does not have: ${shown}${more}`);
    },
  };
  for await (const { line, problems } of readRows(text, options)) {
    rows += 1;
    if (problems.length === 0) continue;
    invalid += 1;
    for (const { field, message } of problems) {
      told += 1;
      if (told <= mostTold) notice(`line ${line}: ${field} ${message}`);
    }
  }
  if (told > mostTold) notice(`and ${told - mostTold} more problems`);
  return { format, header, rows, invalid };
}

/** The rows again, once it is known what they are. */
export function rowsOf(source: ReplayableInput, format: ImportFormat): AsyncGenerator<Row> {
  return readRows(textOf(source), { format, onOthers: () => {} });
}

/** What cannot be sent: nothing was. */
export function invalidRows({ rows, invalid }: Checked): Failure {
  return usageError(
    'invalid_rows',
    `${invalid} of ${rows} rows cannot be sent, and nothing was`,
    'mend them, or pass --rejects FILE, which keeps them for later and sends the others',
  );
}

const mostTold = 1_000;

/** The format that was chosen, or that the name ends in, or that the first character tells. */
async function detect(
  source: ReplayableInput,
  given: ImportFormat | undefined,
): Promise<{ format: ImportFormat; text: AsyncIterable<string> }> {
  const ending = /\.([a-z]+)$/i.exec(source.name)?.[1]?.toLowerCase();
  const named = given ?? importFormats.find((one) => one === ending);
  const text = textOf(source);
  if (named) return { format: named, text };
  if (ending === 'yaml' || ending === 'yml') {
    throw usageError(
      'invalid_input',
      `${source.name} is YAML; an import takes CSV, JSON and NDJSON`,
    );
  }
  if (ending === 'jsonl') return { format: 'ndjson', text };
  let head = '';
  let first = '';
  while (first === '') {
    const { done, value } = await text.next();
    if (done) break;
    head += value;
    first = head.trimStart().charAt(0);
  }
  const format = first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
  return { format, text: before(head, text) };
}

async function* before(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (head !== '') yield head;
  yield* rest;
}

async function* textOf(source: ReplayableInput): AsyncGenerator<string> {
  try {
    yield* decodeText(source.read());
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw usageError(
      'invalid_input',
      `${source.name} cannot be read: ${error.message}`,
      'spreadsheets save UTF-8 as "CSV UTF-8"',
    );
  }
}
