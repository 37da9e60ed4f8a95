import type { AtomicFile } from '../config/files.js';
import { Failure, type Hint } from '../failure.js';
import type { OutputFormat } from '../format/output-format.js';
import { suggestSimilar } from '../format/suggest.js';
import type { Style } from '../terminal/output.js';

/** One record of a result, by field name. Machine formats also print fields that have no column. */
export type OutputRecord = Readonly<Record<string, unknown>>;

export interface Column {
  /** The field: the column's heading, and the name that `--fields` takes. */
  readonly key: string;
  /** Cells may be cut if the table is wider than the terminal. */
  readonly canShrink?: true;
  readonly style?: 'status';
  /** The heading on a terminal, if it is not made of the key. */
  readonly title?: string;
  /**
   * How a table shows values: a list of texts with commas, and on a terminal a count with thousands separators and a time
   * relative to now.
   */
  readonly format?: 'count' | 'time';
}

/** Returns text for a person, wrapped to `width` columns unless that is undefined. */
export type TextLayout = (style: Style, width: number | undefined) => string;

/** What an action returns; the renderer prints it in the output format. */
type Output =
  | {
      readonly kind: 'records';
      /** Undefined: one column for each field that the records have. */
      readonly columns?: readonly Column[];
      /** Batches of records. The request leaves when the renderer pulls the first batch. */
      readonly batches: AsyncIterable<readonly OutputRecord[]>;
      /** Printed as JSON and YAML in place of the list of records. */
      readonly document?: unknown;
      /** Writes each batch as it arrives, into the file if there is one. */
      readonly streamed?: {
        readonly format: OutputFormat;
        readonly file?: AtomicFile;
        /** Called after the file was written with a list that may be incomplete. */
        readonly onPartialFile?: () => void;
      };
      /** Printed on stderr in place of an empty table. */
      readonly emptyMessage: Hint;
      /** Printed in place of a table, unless `--fields` or a screen reader needs one. */
      readonly text?: TextLayout;
      readonly onRendered?: () => void;
    }
  | {
      readonly kind: 'record';
      readonly columns: readonly Column[];
      readonly record: OutputRecord;
      /** `--fields` may name fields that have no column. */
      readonly allowsAnyField?: true;
      /** Printed in place of a table. */
      readonly text?: TextLayout;
      readonly onRendered?: () => Promise<void>;
    }
  /** Text, then a JSON document, which is highlighted on a terminal. Either may be empty. */
  | { readonly kind: 'text'; readonly text: string; readonly json?: string }
  /** Complete lines, printed as they arrive until the reader closes the pipe. */
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<string> }
  /** A page of help: its text wrapped to a width. */
  | { readonly kind: 'page'; readonly text: (width?: number) => string }
  /** Bytes for a pipe, and text for a terminal. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly text: string }
  | { readonly kind: 'nothing' };

/** A result may be printed although the command fails. */
export type CommandResult = Output & { readonly failure?: Failure };

/** Returns the selected fields in their order; all of them if none are selected. */
export function pickFields(record: OutputRecord, fields: readonly string[] | undefined): OutputRecord {
  if (!fields) return record;
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(record, field)).map((field) => [field, record[field]]),
  );
}

/** Throws a usage error if `--fields` names a field that is not a column. */
export function checkFields(fields: readonly string[] | undefined, columns: readonly Column[]): void {
  const keys = columns.map(({ key }) => key);
  const unknown = fields?.find((field) => !keys.includes(field));
  if (unknown === undefined) return;
  throw new Failure('usage', {
    code: 'invalid_flag',
    message: `unknown field "${unknown}" in --fields; the fields are ${keys.join(', ')}`,
    hint: suggestSimilar(unknown, keys),
  });
}

export type RecordsResult = Extract<CommandResult, { kind: 'records' }>;

/** Returns the fields to print: those selected, else the columns and then other fields of the records. */
export function outputKeys(
  columns: readonly Column[] | undefined,
  records: readonly OutputRecord[],
  fields: readonly string[] | undefined,
): readonly string[] {
  if (fields) return fields;
  const known = columns?.map(({ key }) => key) ?? [];
  return [...new Set([...known, ...records.flatMap((record) => Object.keys(record))])];
}

/** Returns the value that JSON and YAML print, with the selected fields. */
export async function toDocument(
  result: Extract<CommandResult, { kind: 'records' | 'record' }>,
  fields: readonly string[] | undefined,
): Promise<unknown> {
  if (result.kind === 'record') return pickFields(result.record, fields);
  const records: OutputRecord[] = [];
  await collectRecords(result, records);
  if ('document' in result && !fields) return result.document ?? null;
  return records.map((record) => pickFields(record, fields));
}

export async function collectRecords({ batches }: RecordsResult, records: OutputRecord[]): Promise<void> {
  // Pushing a whole batch at once would exceed the maximum number of arguments.
  for await (const batch of batches) for (const record of batch) records.push(record);
}
