import { formatJson } from '../format/json.js';
import {
  type Column,
  type CommandResult,
  checkFields,
  type OutputRecord,
  outputKeys,
  pickFields,
  type RecordsResult,
  toDocument,
} from './command-result.js';
import { formatLines, type RenderSettings, type RenderTerminal, renderLines } from './render-lines.js';
import { renderStream } from './render-stream.js';

/** Prints the result of a command in the output format. Nothing else writes results to stdout. */
export async function renderResult(
  result: CommandResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<void> {
  const { stdout } = terminal;
  if (result.kind === 'text') return stdout.write(result.text + (result.json ?? ''));
  if (result.kind === 'bytes') return stdout.write(stdout.isTerminal ? result.text : result.bytes);
  if (result.kind === 'nothing') return;
  if (result.kind === 'lines') return renderTextLines(result.lines, terminal);
  if (result.kind === 'page' && settings.accessible) return stdout.write(result.text(stdout.columns));
  if (result.kind === 'page') return terminal.showPage(result.text(terminal.stdout.columns));
  if (result.columns && !('allowsAnyField' in result)) checkFields(settings.fields, result.columns);
  const hasText = settings.output === 'table' && !settings.fields && result.text !== undefined;
  const formatText = async () => result.text?.(await terminal.createStyle('stdout', settings.color), stdout.columns);
  if (result.kind === 'records') {
    if (hasText && !settings.accessible) await stdout.write((await formatText()) ?? '');
    else if (result.streamed) await renderStream(result, settings, terminal);
    else await renderRecords(result, settings, terminal);
    return result.onRendered?.();
  }
  const text = hasText ? await formatText() : undefined;
  await stdout.write(text ?? (await formatRecord(result.columns, result.record, settings, terminal)));
  await result.onRendered?.();
}

async function renderTextLines(lines: AsyncIterable<string>, { stdout }: RenderTerminal): Promise<void> {
  for await (const line of lines) {
    await stdout.write(line);
    if (stdout.isClosed) return;
  }
}

/** Streams the line formats; prints tables, JSON and YAML when they are complete. */
async function renderRecords(result: RecordsResult, settings: RenderSettings, terminal: RenderTerminal): Promise<void> {
  const { output } = settings;
  if (output === 'table') return (await import('./render-table.js')).renderTable(result, settings, terminal);
  if (output === 'json' || output === 'yaml') {
    const document = await toDocument(result, settings.fields);
    return terminal.stdout.write(await formatDocument(output, document));
  }
  return renderLines(result, settings, terminal.stdout, terminal);
}

async function formatRecord(
  columns: readonly Column[],
  record: OutputRecord,
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<string> {
  const { output, fields } = settings;
  if (output === 'table') {
    const { formatRecordBlock } = await import('./render-table.js');
    return formatRecordBlock(columns, record, settings, terminal);
  }
  if (output === 'json' || output === 'yaml') {
    return formatDocument(output, pickFields(record, fields));
  }
  const keys = outputKeys(columns, [record], fields);
  return formatLines([record], keys, true, settings, terminal.stdout);
}

async function formatDocument(output: 'json' | 'yaml', value: unknown): Promise<string> {
  if (output === 'yaml') return (await import('../format/format-yaml.js')).formatYaml(value);
  return `${formatJson(value, 2)}\n`;
}
