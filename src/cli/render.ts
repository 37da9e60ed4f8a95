import { Failure } from '../failure.js';
import { formatNumber } from '../format/duration.js';
import { formatExactNumber, formatJson, toDisplayText } from '../format/json.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';
import type { Terminal } from '../terminal/terminal.js';
import {
  type Column,
  type CommandResult,
  checkFields,
  collectRecords,
  type OutputRecord,
  outputKeys,
  pickFields,
  type RecordsResult,
  toDocument,
} from './command-result.js';
import type { RenderSettings } from './render-lines.js';

/** Prints the result of a command in the output format. Nothing else writes results to stdout. */
export async function renderResult(result: CommandResult, settings: RenderSettings, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  if (result.kind === 'text') return stdout.write(result.text);
  if (result.kind === 'bytes') return stdout.write(stdout.isTerminal ? result.text : result.bytes);
  if (result.kind === 'nothing') return;
  if (result.kind === 'lines') return renderTextLines(result.lines, terminal);
  if (result.kind === 'page' && settings.accessible) return stdout.write(result.text(stdout.columns));
  if (result.kind === 'page') return terminal.showManualPage({ ...result, pager: settings.pager });
  if (result.columns && !('allowsAnyField' in result)) checkFields(settings.fields, result.columns);
  const hasText = settings.output === 'table' && !settings.fields && result.text !== undefined;
  const formatText = async () => result.text?.(await terminal.createStyle('stdout', settings.color), stdout.columns);
  if (result.kind === 'records') {
    if (hasText && !settings.accessible) await stdout.write((await formatText()) ?? '');
    else if (result.streamed) await (await import('./render-stream.js')).renderStream(result, settings, terminal);
    else await renderRecords(result, settings, terminal);
    return result.onRendered?.();
  }
  const text = hasText ? await formatText() : undefined;
  await stdout.write(text ?? (await formatRecord(result.columns, result.record, settings, terminal)));
  await result.onRendered?.();
}

async function renderTextLines(lines: AsyncIterable<string>, { stdout }: Terminal): Promise<void> {
  for await (const line of lines) {
    await stdout.write(line);
    if (stdout.isClosed) return;
  }
}

/** Streams the line formats; prints tables, JSON and YAML when they are complete. */
async function renderRecords(result: RecordsResult, settings: RenderSettings, terminal: Terminal): Promise<void> {
  const { output } = settings;
  if (output === 'table') return renderTable(result, settings, terminal);
  if (output === 'json' || output === 'yaml') {
    const document = await toDocument(result, settings.fields);
    return terminal.stdout.write(await formatDocument(output, document));
  }
  const { renderLines } = await import('./render-lines.js');
  return renderLines(result, settings, terminal.stdout, terminal);
}

async function renderTable(result: RecordsResult, settings: RenderSettings, terminal: Terminal): Promise<void> {
  const records: OutputRecord[] = [];
  const print = async () => {
    if (records.length > 0) {
      await terminal.stdout.write(await formatGrid(result.columns, records, settings, terminal));
    }
  };
  try {
    await collectRecords(result, records);
  } catch (error) {
    // A list that may be incomplete is useful; one that failed in the middle is not.
    if (error instanceof Failure && error.kind === 'partial') await print();
    throw error;
  }
  await print();
  if (records.length === 0 && !settings.quiet) {
    const { wrapMessage } = await import('../format/wrap-message.js');
    await terminal.stderr.write(wrapMessage(toSafeText(result.emptyMessage), terminal.stderr.columns));
  }
}

async function formatRecord(
  columns: readonly Column[],
  record: OutputRecord,
  settings: RenderSettings,
  terminal: Terminal,
): Promise<string> {
  const { output, fields } = settings;
  if (output === 'table') {
    const { formatRecordBlocks } = await import('../format/table.js');
    const table = await layOut(chooseColumns(columns, fields), [record], settings, terminal);
    const isAligned = !settings.accessible;
    return formatRecordBlocks(table.columns, table.rows, { ...table.styles, isAligned });
  }
  if (output === 'json' || output === 'yaml') {
    return formatDocument(output, pickFields(record, fields));
  }
  const { formatLines } = await import('./render-lines.js');
  const keys = outputKeys(columns, [record], fields);
  return formatLines([record], keys, true, settings, terminal.stdout);
}

async function formatGrid(
  columns: readonly Column[] | undefined,
  records: readonly OutputRecord[],
  settings: RenderSettings,
  terminal: Terminal,
): Promise<string> {
  const { formatRecordBlocks, formatTable } = await import('../format/table.js');
  const chosen = columns
    ? chooseColumns(columns, settings.fields)
    : outputKeys(undefined, records, settings.fields).map((key) => ({ key, canShrink: true }) as const);
  if (chosen.length === 0) return records.map((record) => `${formatJson(record)}\n`).join('');
  const table = await layOut(chosen, records, settings, terminal);
  if (settings.accessible) {
    return formatRecordBlocks(table.columns, table.rows, { ...table.styles, isAligned: false });
  }
  const options = { hasHeader: settings.header, width: terminal.stdout.columns, ...table.styles };
  return formatTable(table.columns, table.rows, options);
}

/** Returns escaped headings and cells, and how to style them. In a pipe, names and values are exact. */
async function layOut(
  columns: readonly Column[],
  records: readonly OutputRecord[],
  { color }: RenderSettings,
  { stdout, createStyle, clock }: Terminal,
) {
  const { isTerminal } = stdout;
  const { heading, status } = await createStyle('stdout', color);
  const { toTitle } = await import('../format/table.js');
  const hasTime = isTerminal && columns.some(({ format }) => format === 'time');
  const { formatRelativeTime } = hasTime ? await import('../format/relative-time.js') : {};
  const toText = (value: unknown, format: Column['format']) => {
    if (isTerminal && format === 'count' && typeof value === 'number') return formatNumber(value);
    if (format === 'time' && typeof value === 'string') return formatRelativeTime?.(value, clock.now()) ?? value;
    return toDisplayText(value);
  };
  const isNumeric = (key: string) => {
    const values = records.map(({ [key]: value }) => value ?? undefined).filter((value) => value !== undefined);
    return values.length > 0 && values.every((value) => formatExactNumber(value) !== undefined);
  };
  return {
    columns: columns.map(({ key, title = toTitle(key), canShrink = false }) => ({
      ...{ name: toSafeText(key), canShrink },
      ...(isTerminal && { title: toSafeText(title), isRightAligned: isNumeric(key) }),
    })),
    rows: records.map((record) => columns.map(({ key, format }) => toSafeText(toText(record[key], format)))),
    styles: {
      styleHeading: heading,
      styleCell: (text: SafeText, index: number) => (columns[index]?.style === 'status' ? status(text) : text),
    },
  };
}

async function formatDocument(output: 'json' | 'yaml', value: unknown): Promise<string> {
  if (output === 'yaml') return (await import('../format/format-yaml.js')).formatYaml(value);
  return `${formatJson(value, 2)}\n`;
}

function chooseColumns(columns: readonly Column[], fields: readonly string[] | undefined): readonly Column[] {
  if (!fields) return columns;
  return fields.map((field) => columns.find(({ key }) => key === field) ?? { key: field });
}
