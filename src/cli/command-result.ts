import { Failure, type Hint } from '../failure.js';
import { isRecord } from '../format/json.js';
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

/** A list. */
export interface RecordsResult {
  readonly kind: 'records';
  /** All records, or batches of them. The request leaves when the renderer pulls the first batch. */
  readonly records: readonly OutputRecord[] | AsyncIterable<readonly OutputRecord[]>;
  /** Undefined: one column for each field that the records have. */
  readonly columns?: readonly Column[];
  /** Printed as JSON and YAML in place of the list of records. */
  readonly document?: unknown;
  /** Replaces the output format: each batch is written as it arrives. */
  readonly streamFormat?: OutputFormat;
  /** Printed on stderr in place of an empty table. */
  readonly emptyMessage: Hint;
  /** Printed in place of a table, unless `--fields` or a screen reader needs one. */
  readonly text?: TextLayout;
}

export interface RecordResult {
  readonly kind: 'record';
  readonly columns: readonly Column[];
  readonly record: OutputRecord;
  /** Printed in place of a table. */
  readonly text?: TextLayout;
}

/** What a command prints. */
export type CommandResult =
  | RecordsResult
  | RecordResult
  /** Text or bytes, then JSON that is highlighted on a terminal. */
  | { readonly kind: 'text'; readonly text: string | Uint8Array; readonly json?: string };

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

/** Returns the batches of a list. */
export function batchesOf({ records }: Pick<RecordsResult, 'records'>) {
  return Symbol.asyncIterator in records ? records : [records];
}

/** Returns the value that JSON and YAML print, with the selected fields. */
export async function toDocument(
  result: RecordsResult | RecordResult,
  fields: readonly string[] | undefined,
): Promise<unknown> {
  if (result.kind === 'record') return pickFields(result.record, fields);
  const records: OutputRecord[] = [];
  await collectRecords(result, records);
  if ('document' in result && !fields) return result.document ?? null;
  return records.map((record) => pickFields(record, fields));
}

/** Adds every record of a list to `records`, which has those before a failure, too. */
export async function collectRecords(result: RecordsResult, records: OutputRecord[]): Promise<void> {
  // Pushing a whole batch at once would exceed the maximum number of arguments.
  for await (const batch of batchesOf(result)) for (const record of batch) records.push(record);
}

/** Returns a JSON value as records: the items of a list, one object, or `{ value }` for anything else. */
export function toRecords(value: unknown): readonly OutputRecord[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => (isRecord(item) ? item : { value: item }));
}
