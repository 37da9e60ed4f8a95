import type { AtomicFile } from '../config/files.js';
import { Failure } from '../failure.js';
import { formatJson } from '../format/json.js';
import type { Output } from '../terminal/output.js';
import { pickFields, type RecordsResult } from './command-result.js';
import { type RenderSettings, type RenderTerminal, renderLines } from './render-lines.js';

/** Writes each batch as it arrives, in any format but a table, to stdout or to an atomic file. */
export async function renderStream(
  result: RecordsResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<void> {
  const { format = settings.output, file, onPartialFile } = result.streamed ?? {};
  const out = file ? toOutput(file) : terminal.stdout;
  const renderSettings = { ...settings, output: format };
  try {
    if (format === 'json') await writeList(result, renderSettings, out, jsonList);
    else if (format === 'yaml') await writeList(result, renderSettings, out, await yamlList());
    else await renderLines(result, renderSettings, out, terminal);
    await file?.commit();
  } catch (error) {
    // The file has every pet that the service listed, although the list may be incomplete.
    if (file && isPartial(error)) {
      await file.commit();
      onPartialFile?.();
    }
    throw error;
  } finally {
    await file?.discard();
  }
}

function isPartial(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'partial';
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
  { batches }: RecordsResult,
  { fields }: RenderSettings,
  out: Output,
  { begin, separator, end, empty, item }: ListFormat,
): Promise<void> {
  let count = 0;
  const finish = () => out.write(count === 0 ? empty : end);
  try {
    for await (const batch of batches) {
      if (out.isClosed) return;
      const items = batch.map((record) => item(pickFields(record, fields)));
      if (items.length > 0) await out.write((count === 0 ? begin : separator) + items.join(separator));
      count += items.length;
    }
  } catch (error) {
    if (isPartial(error)) await finish();
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

function toOutput(file: AtomicFile): Output {
  return { isTerminal: false, columns: undefined, isClosed: false, write: file.write };
}
