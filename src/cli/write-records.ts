import type { Settings } from '../config/settings.js';
import { Failure } from '../failure.js';
import { formatExactNumber, formatJson, toPlainText } from '../format/json.js';
import { toSafeText } from '../format/safe-text.js';
import type { Output } from '../terminal/output.js';
import { batchesOf, type OutputRecord, outputKeys, pickFields, type RecordsResult } from './command-result.js';

type WriteSettings = Pick<Settings, 'output' | 'fields' | 'header'>;

type WriteOutput = Pick<Output, 'isTerminal' | 'isClosed' | 'write'>;

/**
 * Writes each batch of a list as it arrives, in any format but a table. Resolves to the fields that CSV and TSV omit,
 * because only later records have them. A list that may be incomplete is still one valid document.
 */
export async function writeRecords(
  result: Pick<RecordsResult, 'records' | 'columns'>,
  settings: WriteSettings,
  out: WriteOutput,
): Promise<readonly string[]> {
  if (settings.output === 'json') await writeList(result, settings, out, jsonList);
  else if (settings.output === 'yaml') await writeList(result, settings, out, await yamlList());
  else return writeLines(result, settings, out);
  return [];
}

async function writeLines(
  result: Pick<RecordsResult, 'records' | 'columns'>,
  settings: WriteSettings,
  out: WriteOutput,
): Promise<readonly string[]> {
  let keys: readonly string[] | undefined;
  const seen = new Set<string>();
  for await (const batch of batchesOf(result)) {
    if (out.isClosed) return [];
    const isFirst = keys === undefined;
    keys ??= outputKeys(result.columns, batch, settings.fields);
    await out.write(await formatLines(batch, keys, isFirst, settings, out));
    if (settings.output === 'ndjson' || settings.fields) continue;
    for (const record of batch) for (const key of Object.keys(record)) seen.add(key);
  }
  return [...seen].filter((key) => !keys?.includes(key));
}

/** Formats records as NDJSON, CSV or TSV, after a header row if `hasHeading` and the format has one. */
export async function formatLines(
  records: readonly OutputRecord[],
  keys: readonly string[],
  hasHeading: boolean,
  { output, fields, header }: WriteSettings,
  { isTerminal }: WriteOutput,
): Promise<string> {
  if (output === 'ndjson') {
    return records.map((record) => `${formatJson(pickFields(record, fields))}\n`).join('');
  }
  if (keys.length === 0) return '';
  const { formatCsv } = await import('../format/format-csv.js');
  const escapeText = (text: string) => (isTerminal ? toSafeText(text) : text);
  const rows = records.map((record) => keys.map((key) => toCsvCell(record[key], escapeText)));
  const headerRow = hasHeading && header ? [keys.map((key) => ({ text: escapeText(key) }))] : [];
  return formatCsv([...headerRow, ...rows], output === 'tsv' ? '\t' : ',');
}

function toCsvCell(value: unknown, escapeText: (text: string) => string) {
  if (value === undefined || value === null) return undefined;
  const number = formatExactNumber(value);
  return number === undefined ? { text: escapeText(toPlainText(value)) } : { number };
}

/** How to write a list item by item. */
interface ListFormat {
  readonly begin: string;
  readonly separator: string;
  readonly end: string;
  readonly empty: string;
  readonly item: (value: unknown) => string;
}

async function writeList(
  result: Pick<RecordsResult, 'records'>,
  { fields }: WriteSettings,
  out: WriteOutput,
  { begin, separator, end, empty, item }: ListFormat,
): Promise<void> {
  let count = 0;
  const finish = () => out.write(count === 0 ? empty : end);
  try {
    for await (const batch of batchesOf(result)) {
      if (out.isClosed) return;
      const items = batch.map((record) => item(pickFields(record, fields)));
      if (items.length > 0) await out.write((count === 0 ? begin : separator) + items.join(separator));
      count += items.length;
    }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'partial') await finish();
    throw error;
  }
  await finish();
}

/** The same bytes as `formatJson` of the whole list. */
const jsonList: ListFormat = {
  begin: '[\n',
  separator: ',\n',
  end: '\n]\n',
  empty: '[]\n',
  item: (value) => formatJson(value, 2).replace(/^/gm, '  '),
};

async function yamlList(): Promise<ListFormat> {
  const { formatYaml } = await import('../format/format-yaml.js');
  return { begin: '', separator: '', end: '', empty: '[]\n', item: (value) => formatYaml([value]) };
}
