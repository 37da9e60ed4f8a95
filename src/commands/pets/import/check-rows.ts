import { createHash } from 'node:crypto';
import type { AppContext } from '../../../app/context.js';
import { type Failure, usageError } from '../../../failure.js';
import { decodeText, EncodingError } from '../../../format/decode-text.js';
import { formatCount, formatNumber } from '../../../format/duration.js';
import { formatJson } from '../../../format/json.js';
import { type ImportFormat, importFormats } from './options.js';
import { maxUnknownFields, type Row, readRows } from './read-rows.js';
import type { ReplayableInput } from './replayable-input.js';

/** The result of checking an input before anything is sent. */
export interface CheckedInput {
  readonly format: ImportFormat;
  /** The first row of a table. */
  readonly header: readonly string[] | undefined;
  readonly rowCount: number;
  readonly invalidCount: number;
  /** A digest of the header of a table and all rows, whatever their quotes, line endings and encoding. */
  readonly rowsDigest: string;
}

/** Reads all rows and shows their number meanwhile. Prints each problem, even with `--quiet`. */
export async function checkRows(
  input: ReplayableInput,
  option: ImportFormat | undefined,
  { terminal: { notice, errorLine, startProgress } }: Pick<AppContext, 'terminal'>,
): Promise<CheckedInput> {
  let header: readonly string[] | undefined;
  let rowCount = 0;
  let invalidCount = 0;
  let problemCount = 0;
  const { format, text } = await detectFormat(input, option);
  const hash = createRowsHash();
  const rows = readRows(text, {
    format,
    source: input.name,
    onHeader: (cells) => {
      header = cells;
      hash.add(cells);
    },
    onUnknownFields: (names) => {
      const hidden = names.length - maxUnknownFields;
      const rest = hidden > 0 ? ` and ${hidden} more` : '';
      const noun = `${format === 'csv' ? 'column' : 'field'}${names.length === 1 ? '' : 's'}`;
      notice(`Ignored unknown ${noun}: ${names.slice(0, maxUnknownFields).join(', ')}${rest}.`);
    },
  });
  const progress = startProgress(() => `Checked ${formatCount(rowCount, 'row')}`);
  try {
    for await (const { position, problems, raw } of rows) {
      rowCount += 1;
      hash.add(raw);
      if (problems.length > 0) invalidCount += 1;
      for (const { field, message } of problems) {
        problemCount += 1;
        if (problemCount <= maxListedProblems) errorLine(`${position}: ${field} ${message}`);
      }
    }
  } finally {
    await progress.stop();
  }
  const hidden = problemCount - maxListedProblems;
  if (hidden > 0) errorLine(`and ${formatNumber(hidden)} more problems`);
  return { format, header, rowCount, invalidCount, rowsDigest: hash.digest() };
}

/** Reads the rows again, without notices. */
export function rereadRows(input: ReplayableInput, format: ImportFormat): AsyncGenerator<Row> {
  return readRows(decodeInput(input), { format, source: input.name });
}

/** Reads the rows again, and resolves to their digests up to each of these numbers of rows. */
export async function digestRows(
  input: ReplayableInput,
  format: ImportFormat,
  counts: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const hash = createRowsHash();
  const digests = new Map<number, string>();
  for await (const { number, raw } of readRows(decodeInput(input), {
    format,
    source: input.name,
    onHeader: hash.add,
  })) {
    hash.add(raw);
    if (counts.has(number)) digests.set(number, hash.digest());
    if (digests.size === counts.size) break;
  }
  return digests;
}

function createRowsHash() {
  const hash = createHash('sha256');
  return {
    // `JSON.stringify` is faster, but changes the digits of numbers in JSON rows.
    add: (raw: unknown) => void hash.update(`${Array.isArray(raw) ? JSON.stringify(raw) : formatJson(raw)}\n`),
    digest: () => hash.copy().digest('hex'),
  };
}

export function invalidRowsError({ rowCount, invalidCount }: CheckedInput): Failure {
  const [verb, rows, pronoun] = invalidCount === 1 ? ['is', 'the row', 'it'] : ['are', 'these rows', 'them'];
  return usageError(
    'invalid_input',
    `${formatNumber(invalidCount)} of ${formatCount(rowCount, 'row')} ${verb} invalid; nothing was imported`,
    `fix ${rows}${rowCount > invalidCount ? `, or pass --rejects <file> to save ${pronoun} and import the rest` : ''}`,
  );
}

const maxListedProblems = 1_000;

/** Chooses the format by `--format`, else by the file extension, else by the first character. */
async function detectFormat(
  input: ReplayableInput,
  option: ImportFormat | undefined,
): Promise<{ format: ImportFormat; text: AsyncIterable<string> }> {
  const text = decodeInput(input);
  const known = option ?? formatOfExtension(input.name);
  if (known) return { format: known, text };
  let head = '';
  while (head.trimStart() === '') {
    const { done, value } = await text.next();
    if (done) break;
    head += value;
  }
  const first = head.trimStart().charAt(0);
  const format = first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
  return { format, text: prepend(head, text) };
}

/** Returns the format for the extension of a file. */
export function formatOfExtension(path: string): ImportFormat | undefined {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return extension === 'jsonl' ? 'ndjson' : importFormats.find((format) => format === extension);
}

async function* prepend(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (head !== '') yield head;
  yield* rest;
}

async function* decodeInput(input: ReplayableInput): AsyncGenerator<string> {
  try {
    yield* decodeText(input.read());
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw usageError(
      'invalid_input',
      `cannot read ${input.name}: ${error.message}`,
      'save the file as UTF-8; spreadsheets call this "CSV UTF-8"',
    );
  }
}
