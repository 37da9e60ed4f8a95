import type { AtomicFile } from '../config/atomic-file.js';
import { Failure } from '../failure.js';
import { formatJson } from '../format/json.js';
import type { Output } from '../terminal/output.js';
import type { Terminal } from '../terminal/terminal.js';
import { pick } from './command-result.js';
import { type Records, type Shape, writeLines } from './render-lines.js';

/** Writes records as they come, in any format but a table: to stdout, or into a file that appears whole. */
export async function stream(view: Records, settings: Shape, terminal: Terminal): Promise<void> {
  const { format = settings.output, file } = view.streamed ?? {};
  const out = file ? outputInto(file) : terminal.stdout;
  const shape = { ...settings, output: format };
  try {
    if (format === 'json') await writeList(view, shape, out, jsonList);
    else if (format === 'yaml') await writeList(view, shape, out, await yamlList());
    else await writeLines(view, shape, out, terminal);
    await file?.commit();
  } catch (error) {
    // All that the service lets us list is in it, though nobody can tell that it is all there is.
    if (isPartial(error)) await file?.commit();
    throw error;
  } finally {
    await file?.discard();
  }
}

function isPartial(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'partial';
}

/** How a list is written item by item. */
interface ListFormat {
  readonly begin: string;
  readonly between: string;
  readonly end: string;
  /** A list without items. */
  readonly empty: string;
  readonly item: (value: unknown) => string;
}

async function writeList(
  { batches }: Records,
  { fields }: Shape,
  out: Output,
  { begin, between, end, empty, item }: ListFormat,
): Promise<void> {
  let count = 0;
  const finish = () => out.write(count === 0 ? empty : end);
  try {
    for await (const batch of batches) {
      if (out.isClosed) return;
      const items = batch.map((record) => item(pick(record, fields)));
      if (items.length > 0) await out.write((count === 0 ? begin : between) + items.join(between));
      count += items.length;
    }
  } catch (error) {
    if (isPartial(error)) await finish();
    throw error;
  }
  await finish();
}

/** Byte for byte as a list that is written whole. */
const jsonList: ListFormat = {
  begin: '[\n',
  between: ',\n',
  end: '\n]\n',
  empty: '[]\n',
  item: (value) => formatJson(value, 2).replace(/^/gm, '  '),
};

async function yamlList(): Promise<ListFormat> {
  const { formatYaml } = await import('../format/format-yaml.js');
  return { begin: '', between: '', end: '', empty: '[]\n', item: (value) => formatYaml([value]) };
}

function outputInto(file: AtomicFile): Output {
  return { isTerminal: false, columns: undefined, isClosed: false, write: file.write };
}
