import type { Settings } from '../config/settings.js';
import { formatExactNumber, formatJson, toPlainText } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap.js';
import type { Output } from '../terminal/output.js';
import type { Terminal } from '../terminal/terminal.js';
import { type OutputRecord, outputKeys, pickFields, type RecordsResult } from './command-result.js';

export type RenderSettings = Pick<Settings, 'output' | 'fields' | 'header' | 'color' | 'quiet'> &
  Partial<Pick<Settings, 'accessible'>>;

/** The part of the terminal that shows results. */
export type RenderTerminal = Pick<Terminal, 'stdout' | 'stderr' | 'clock' | 'createStyle' | 'showPage'>;

/** Writes NDJSON, CSV or TSV batch by batch, and warns of fields that appear after the header is written. */
export async function renderLines(
  result: Pick<RecordsResult, 'batches' | 'columns'>,
  settings: RenderSettings,
  out: Output,
  terminal: RenderTerminal,
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
    const names = omitted.join(', ');
    const { warning } = await terminal.createStyle('stderr', settings.color);
    const text = `! ${output} omits fields that only later records have: ${names}`;
    const lines = wrapMessage(text, terminal.stderr.columns);
    await terminal.stderr.write(lines.replace('!', warning('!')));
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

function toCsvCell(value: unknown, escapeText: (text: string) => string) {
  if (value === undefined || value === null) return undefined;
  const number = formatExactNumber(value);
  return number === undefined ? { text: escapeText(toPlainText(value)) } : { number };
}
