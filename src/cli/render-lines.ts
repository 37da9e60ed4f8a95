import type { Settings } from '../config/settings.js';
import { toPlainText } from '../format/cell.js';
import { formatExactNumber, formatJson } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';
import type { Output } from '../terminal/output.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Column, type CommandResult, pick, type ViewRecord } from './command-result.js';

export type Shape = Pick<Settings, 'output' | 'fields' | 'header' | 'color' | 'quiet' | 'pager'> &
  Partial<Pick<Settings, 'accessible'>>;
export type Records = Extract<CommandResult, { kind: 'records' }>;

/** Writes NDJSON, CSV or TSV as records come, and tells of keys that came too late to be columns. */
export async function writeLines(
  view: Pick<Records, 'batches' | 'columns'>,
  settings: Shape,
  out: Output,
  terminal: Terminal,
): Promise<void> {
  const { output } = settings;
  let keys: readonly string[] | undefined;
  const seen = new Set<string>();
  for await (const batch of view.batches) {
    if (out.isClosed) return;
    const heading = keys === undefined;
    keys ??= keysOf(view.columns, batch, settings.fields);
    await out.write(await formatLines(batch, keys, heading, settings, out));
    if (output !== 'ndjson' && !settings.fields) {
      for (const record of batch) for (const key of Object.keys(record)) seen.add(key);
    }
  }
  const lost = [...seen].filter((key) => !keys?.includes(key));
  if (lost.length > 0 && !settings.quiet) {
    const names = toSafeText(lost.join(', '));
    await terminal.stderr.write(
      `warning: later records have more, left out of ${output}: ${names}\n`,
    );
  }
}

/** Records as lines; with `heading` the row of names goes first, where the format has one. */
export async function formatLines(
  records: readonly ViewRecord[],
  keys: readonly string[],
  heading: boolean,
  { output, fields, header }: Shape,
  out: Output,
): Promise<string> {
  if (output === 'ndjson') {
    return records.map((record) => `${formatJson(pick(record, fields))}\n`).join('');
  }
  if (keys.length === 0) return '';
  const { formatCsv } = await import('../format/format-csv.js');
  const inert = (text: string) => (out.isTerminal ? toSafeText(text) : text);
  const rows = records.map((record) => keys.map((key) => cellOf(record[key], inert)));
  const first = heading && header ? [keys.map((key) => ({ text: inert(key) }))] : [];
  return formatCsv([...first, ...rows], output === 'tsv' ? '\t' : ',');
}

/** The keys of lines: those asked for, else the columns', then any others that the records bring. */
export function keysOf(
  columns: readonly Column[] | undefined,
  records: readonly ViewRecord[],
  fields: readonly string[] | undefined,
): readonly string[] {
  if (fields) return fields;
  const known = columns?.map(({ key }) => key) ?? [];
  return [...new Set([...known, ...records.flatMap((record) => Object.keys(record))])];
}

/** What JSON and YAML show of records, or of one: with some fields only those. */
export async function documentOf(
  view: Extract<CommandResult, { kind: 'records' | 'record' }>,
  fields: readonly string[] | undefined,
): Promise<unknown> {
  if (view.kind === 'record') return pick(view.record, fields);
  const records: ViewRecord[] = [];
  await gather(view, records);
  if ('document' in view && !fields) return view.document ?? null;
  return records.map((record) => pick(record, fields));
}

/** Takes what comes until there is no more. */
export async function gather({ batches }: Records, records: ViewRecord[]): Promise<void> {
  // One by one: a batch of some hundred thousand is more than a call takes arguments.
  for await (const batch of batches) for (const record of batch) records.push(record);
}

function cellOf(value: unknown, inert: (text: string) => string) {
  if (value === undefined || value === null) return undefined;
  const number = formatExactNumber(value);
  return number === undefined ? { text: inert(toPlainText(value)) } : { number };
}
