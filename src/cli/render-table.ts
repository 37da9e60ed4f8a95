import type { Settings } from '../config/settings.js';
import { Failure } from '../failure.js';
import { formatNumber, formatRelativeTime } from '../format/duration.js';
import { formatExactNumber, formatJson, toDisplayText } from '../format/json.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';
import { formatRecordBlocks, formatTable, toTitle } from '../format/table.js';
import { wrapMessage } from '../format/wrap.js';
import type { Terminal } from '../terminal/terminal.js';
import {
  type Column,
  collectRecords,
  type OutputRecord,
  outputKeys,
  type RecordResult,
  type RecordsResult,
} from './command-result.js';

export type RenderSettings = Pick<Settings, 'output' | 'fields' | 'header' | 'color' | 'quiet'> &
  Partial<Pick<Settings, 'accessible'>>;

/** The part of the terminal that shows results. */
export type RenderTerminal = Pick<Terminal, 'stdout' | 'stderr' | 'clock' | 'createStyle'>;

/** Prints records as a table when they are complete. */
export async function renderTable(
  result: RecordsResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<void> {
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
    await terminal.stderr.write(wrapMessage(result.emptyMessage, terminal.stderr.columns));
  }
}

/** Prints one record, a field per line. */
export async function renderRecord(
  { columns, record }: RecordResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<void> {
  const chosen = chooseColumns(columns, settings.fields);
  const { stdout } = terminal;
  if (settings.accessible) return stdout.write(await formatForScreenReader(chosen, [record], settings, terminal));
  const table = await layOut(chosen, [record], settings, terminal);
  return stdout.write(await formatRecordBlocks(table.columns, table.rows, { ...table.styles, width: stdout.columns }));
}

/** Formats a line for each value in a record, and none for a missing one. */
async function formatForScreenReader(
  columns: readonly Column[],
  records: readonly OutputRecord[],
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<string> {
  const blocks = records.map(async (record) => {
    const present = columns.filter(({ key }) => record[key] !== undefined);
    const { columns: shown, rows, styles } = await layOut(present, [record], settings, terminal);
    const lines = (rows[0] ?? []).map((cell, index) => {
      const label = `${shown[index]?.name}:` as SafeText;
      return `${styles.styleHeading(label)} ${styles.styleCell(cell, index)}\n`;
    });
    return lines.join('');
  });
  return (await Promise.all(blocks)).join('\n');
}

async function formatGrid(
  columns: readonly Column[] | undefined,
  records: readonly OutputRecord[],
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<string> {
  const chosen = columns
    ? chooseColumns(columns, settings.fields)
    : outputKeys(undefined, records, settings.fields).map((key) => ({ key, canShrink: true }) as const);
  if (chosen.length === 0) return records.map((record) => `${formatJson(record)}\n`).join('');
  if (settings.accessible) return formatForScreenReader(chosen, records, settings, terminal);
  const table = await layOut(chosen, records, settings, terminal);
  const options = { hasHeader: settings.header, width: terminal.stdout.columns, ...table.styles };
  return formatTable(table.columns, table.rows, options);
}

/** Returns escaped headings and cells, and how to style them. In a pipe, names and values are exact. */
async function layOut(
  columns: readonly Column[],
  records: readonly OutputRecord[],
  { color }: RenderSettings,
  { stdout, createStyle, clock }: RenderTerminal,
) {
  const { isTerminal } = stdout;
  const { heading, status } = await createStyle('stdout', color);
  const toText = (value: unknown, format: Column['format']) => {
    if (isTerminal && format === 'count' && typeof value === 'number') return formatNumber(value);
    if (isTerminal && format === 'time' && typeof value === 'string') return formatRelativeTime(value, clock.now());
    return toDisplayText(value);
  };
  const isNumeric = (key: string) => {
    const values = records.map(({ [key]: value }) => value ?? undefined).filter((value) => value !== undefined);
    return values.length > 0 && values.every((value) => formatExactNumber(value) !== undefined);
  };
  return {
    columns: columns.map(({ key, title = toTitle(key), canShrink = false }) => ({
      name: toSafeText(key),
      canShrink,
      ...(isTerminal && { title: toSafeText(title), isRightAligned: isNumeric(key) }),
    })),
    rows: records.map((record) => columns.map(({ key, format }) => toSafeText(toText(record[key], format)))),
    styles: {
      styleHeading: heading,
      styleCell: (text: SafeText, index: number) => (columns[index]?.style === 'status' ? status(text) : text),
    },
  };
}

function chooseColumns(columns: readonly Column[], fields: readonly string[] | undefined): readonly Column[] {
  if (!fields) return columns;
  return fields.map((field) => columns.find(({ key }) => key === field) ?? { key: field });
}
