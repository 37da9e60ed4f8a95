import type { Settings } from '../config/settings.js';
import { toPlainText } from '../format/cell.js';
import { formatExactNumber, formatJson } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';
import type { Output } from '../terminal/output.js';
import type { Terminal } from '../terminal/terminal.js';
import {
  type Column,
  type CommandResult,
  type OutputRecord,
  pickFields,
} from './command-result.js';

export type RenderSettings = Pick<
  Settings,
  'output' | 'fields' | 'header' | 'color' | 'quiet' | 'pager'
> &
  Partial<Pick<Settings, 'accessible'>>;
export type RecordsResult = Extract<CommandResult, { kind: 'records' }>;

/** Writes NDJSON, CSV or TSV batch by batch, and warns of fields that appear after the header is written. */
export async function renderLines(
  result: Pick<RecordsResult, 'batches' | 'columns'>,
  settings: RenderSettings,
  out: Output,
  terminal: Terminal,
): Promise<void> {
  const { output } = settings;
  let keys: readonly string[] | undefined;
  const seen = new Set<string>();
  for await (const batch of result.batches) {
    if (out.isClosed) return;
    const isFirst = keys === undefined;
    keys ??= outputKeys(result.columns, batch, settings.fields);
    await out.write(await formatLines(batch, keys, isFirst, settings, out));
    if (output !== 'ndjson' && !settings.fields) {
      for (const record of batch) for (const key of Object.keys(record)) seen.add(key);
    }
  }
  const omitted = [...seen].filter((key) => !keys?.includes(key));
  if (omitted.length > 0 && !settings.quiet) {
    const names = toSafeText(omitted.join(', '));
    await terminal.stderr.write(
      `warning: later records have more, left out of ${output}: ${names}\n`,
    );
  }
}

/** Formats records as lines, after a header row if `hasHeading` and the format has one. */
export async function formatLines(
  records: readonly OutputRecord[],
  keys: readonly string[],
  hasHeading: boolean,
  { output, fields, header }: RenderSettings,
  out: Output,
): Promise<string> {
  if (output === 'ndjson') {
    return records.map((record) => `${formatJson(pickFields(record, fields))}\n`).join('');
  }
  if (keys.length === 0) return '';
  const { formatCsv } = await import('../format/format-csv.js');
  const escapeText = (text: string) => (out.isTerminal ? toSafeText(text) : text);
  const rows = records.map((record) => keys.map((key) => toCsvCell(record[key], escapeText)));
  const headerRow = hasHeading && header ? [keys.map((key) => ({ text: escapeText(key) }))] : [];
  return formatCsv([...headerRow, ...rows], output === 'tsv' ? '\t' : ',');
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

/** Appends every record of the result to `records`. */
export async function collectRecords(
  { batches }: RecordsResult,
  records: OutputRecord[],
): Promise<void> {
  // Pushing a whole batch at once would exceed the maximum number of arguments.
  for await (const batch of batches) for (const record of batch) records.push(record);
}

function toCsvCell(value: unknown, escapeText: (text: string) => string) {
  if (value === undefined || value === null) return undefined;
  const number = formatExactNumber(value);
  return number === undefined ? { text: escapeText(toPlainText(value)) } : { number };
}
