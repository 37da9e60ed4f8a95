import { Failure } from '../failure.js';
import { toDisplayText } from '../format/cell.js';
import { formatJson } from '../format/json.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';
import type { Style } from '../terminal/style.js';
import type { Terminal } from '../terminal/terminal.js';
import { checkFields } from './check-fields.js';
import { type Column, pick, type Shown, type ViewRecord } from './command-result.js';
import {
  documentOf,
  formatLines,
  gather,
  keysOf,
  type Records,
  type Shape,
  writeLines,
} from './render-lines.js';

/** Prints a view in the format that was asked for: the only writer of results. */
export async function render(view: Shown, settings: Shape, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  if (view.kind === 'text') return stdout.write(view.text);
  if (view.kind === 'bytes') return stdout.write(stdout.isTerminal ? view.text : view.bytes);
  if (view.kind === 'nothing') return;
  if (view.kind === 'lines') return writeAsTheyCome(view.lines, terminal);
  if (view.kind === 'page' && settings.accessible) return stdout.write(view.text(stdout.columns));
  if (view.kind === 'page') return terminal.showManualPage({ ...view, pager: settings.pager });
  if (view.columns && !('open' in view)) checkFields(settings.fields, view.columns);
  if (view.kind === 'records') {
    if (view.streamed) await (await import('./render-stream.js')).stream(view, settings, terminal);
    else await renderRecords(view, settings, terminal);
    return view.afterwards?.();
  }
  const text = settings.output === 'table' && !settings.fields ? view.text : undefined;
  await stdout.write(text ?? (await formatRecord(view.columns, view.record, settings, terminal)));
  await view.afterwards?.();
}

async function writeAsTheyCome(lines: AsyncIterable<string>, { stdout }: Terminal): Promise<void> {
  for await (const line of lines) {
    await stdout.write(line);
    if (stdout.isClosed) return;
  }
}

/** Lines are written as records come; tables, JSON and YAML once they are whole. */
async function renderRecords(view: Records, settings: Shape, terminal: Terminal): Promise<void> {
  const { output } = settings;
  if (output === 'table') return renderTable(view, settings, terminal);
  if (output === 'json' || output === 'yaml') {
    const document = await documentOf(view, settings.fields);
    return terminal.stdout.write(await formatDocument(output, document));
  }
  return writeLines(view, settings, terminal.stdout, terminal);
}

async function renderTable(view: Records, settings: Shape, terminal: Terminal): Promise<void> {
  const records: ViewRecord[] = [];
  const show = async () => {
    if (records.length > 0) {
      await terminal.stdout.write(await formatGrid(view.columns, records, settings, terminal));
    }
  };
  try {
    await gather(view, records);
  } catch (error) {
    // A list that may not be whole is worth looking at; one that broke off is not.
    if (error instanceof Failure && error.kind === 'partial') await show();
    throw error;
  }
  await show();
  if (records.length === 0 && !settings.quiet) await terminal.stderr.write(`${view.empty}\n`);
}

async function formatRecord(
  columns: readonly Column[],
  record: ViewRecord,
  settings: Shape,
  terminal: Terminal,
): Promise<string> {
  const { output, fields } = settings;
  if (output === 'table') {
    const { formatRecordBlocks } = await import('../format/table.js');
    const chosen = chooseColumns(columns, fields);
    const style = await terminal.createStyle('stdout', settings.color);
    const cells = [chosen.map(({ key }) => shownCell(record[key]))];
    const shown = chosen.map(tableColumn);
    return formatRecordBlocks(shown, cells, {
      ...tableStyles(chosen, style),
      isAligned: !settings.accessible,
    });
  }
  if (output === 'json' || output === 'yaml') return formatDocument(output, pick(record, fields));
  return formatLines([record], keysOf(columns, [record], fields), true, settings, terminal.stdout);
}

async function formatGrid(
  columns: readonly Column[] | undefined,
  records: readonly ViewRecord[],
  settings: Shape,
  terminal: Terminal,
): Promise<string> {
  const { formatRecordBlocks, formatTable } = await import('../format/table.js');
  const style = await terminal.createStyle('stdout', settings.color);
  const chosen = columns
    ? chooseColumns(columns, settings.fields)
    : keysOf(undefined, records, settings.fields).map((key): Column => ({ key, elastic: true }));
  if (chosen.length === 0) return records.map((record) => `${formatJson(record)}\n`).join('');
  const rows = records.map((record) => chosen.map(({ key }) => shownCell(record[key])));
  const shown = chosen.map(tableColumn);
  const looks = tableStyles(chosen, style);
  if (settings.accessible) return formatRecordBlocks(shown, rows, { ...looks, isAligned: false });
  return formatTable(shown, rows, {
    hasHeader: settings.header,
    width: terminal.stdout.columns,
    ...looks,
  });
}

async function formatDocument(output: 'json' | 'yaml', value: unknown): Promise<string> {
  if (output === 'yaml') return (await import('../format/format-yaml.js')).formatYaml(value);
  return `${formatJson(value, 2)}\n`;
}

function chooseColumns(
  columns: readonly Column[],
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (!fields) return columns;
  return fields.map((field) => columns.find(({ key }) => key === field) ?? { key: field });
}

function tableColumn({ key, elastic }: Column) {
  return { name: toSafeText(key), canShrink: elastic === true };
}

/** How headings and the cells of these columns look. */
function tableStyles(columns: readonly Column[], { heading, status }: Style) {
  return {
    styleHeading: heading,
    styleCell: (text: SafeText, index: number) =>
      columns[index]?.style === 'status' ? status(text) : text,
  };
}

/** A cell for a person: escaped, `-` where there is nothing. */
function shownCell(value: unknown): SafeText {
  return toSafeText(toDisplayText(value));
}
