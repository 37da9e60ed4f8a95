import { usageError } from '../failure.js';
import type { JqRunner } from '../format/jq-runner.js';
import { formatJson, highlightJson } from '../format/json.js';
import { wrapMessage } from '../format/wrap.js';
import type { Output } from '../terminal/output.js';
import { type CommandResult, outputKeys, type RecordResult, type RecordsResult, toDocument } from './command-result.js';
import type { RenderSettings, RenderTerminal } from './render-table.js';
import { formatLines, writeRecords } from './write-records.js';

/** Prints the result of a command in the output format. Nothing else writes results to stdout. */
export async function renderResult(
  result: CommandResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
  jq?: JqRunner,
): Promise<void> {
  const { stdout } = terminal;
  const highlight = stdout.isTerminal ? await openHighlighter(settings, terminal) : undefined;
  if (jq) {
    if (result.kind === 'text')
      throw usageError('invalid_flag', 'cannot apply --jq, because this command prints no JSON');
    const document = formatJson(await toDocument(result, settings.fields));
    return stdout.write(await jq.run(document, { forTerminal: stdout.isTerminal, highlight }));
  }
  const jsonOut = highlight ? createHighlightedOutput(stdout, highlight) : stdout;
  if (result.kind === 'text') {
    if (result.text.length > 0) await stdout.write(result.text);
    return jsonOut.write(result.json ?? '');
  }
  const { streamFormat } = result as Partial<RecordsResult>;
  const output = streamFormat ?? settings.output;
  if (output === 'table') return renderForPerson(result, settings, terminal);
  const out = output.endsWith('json') ? jsonOut : stdout;
  if (!streamFormat && (output === 'json' || output === 'yaml')) {
    return out.write(await formatDocument(output, await toDocument(result, settings.fields)));
  }
  if (result.kind === 'records') return renderLines(result, { ...settings, output }, out, terminal);
  const { columns, record } = result;
  const keys = outputKeys(columns, [record], settings.fields);
  return out.write(await formatLines([record], keys, true, settings, out));
}

/** Prints a result as the command lays it out, else as a table. */
async function renderForPerson(
  result: RecordsResult | RecordResult,
  settings: RenderSettings,
  terminal: RenderTerminal,
): Promise<void> {
  const { stdout, createStyle } = terminal;
  const needsTable = settings.fields || (result.kind === 'records' && settings.accessible);
  if (result.text && !needsTable) {
    return stdout.write(result.text(await createStyle('stdout', settings.color), stdout.columns));
  }
  const { renderRecord, renderTable } = await import('./render-table.js');
  if (result.kind === 'record') return renderRecord(result, settings, terminal);
  return renderTable(result, settings, terminal);
}

async function formatDocument(output: 'json' | 'yaml', value: unknown): Promise<string> {
  if (output === 'yaml') return (await import('../format/format-yaml.js')).formatYaml(value);
  return `${formatJson(value, 2)}\n`;
}

/** Writes batch by batch, and warns of fields that appear after the header is written. */
async function renderLines(
  result: RecordsResult,
  settings: RenderSettings,
  out: Output,
  { stderr, createStyle }: RenderTerminal,
): Promise<void> {
  const omitted = await writeRecords(result, settings, out);
  if (omitted.length === 0 || settings.quiet) return;
  const { warning } = await createStyle('stderr', settings.color);
  const text = `! ${settings.output} omits fields that only later records have: ${omitted.join(', ')}`;
  await stderr.write(wrapMessage(text, stderr.columns).replace('!', warning('!')));
}

async function openHighlighter({ color }: RenderSettings, { createStyle }: RenderTerminal) {
  const { heading, success, warning } = await createStyle('stdout', color);
  return (json: string) => highlightJson(json, { key: heading, text: success, literal: warning });
}

/** Returns an output that highlights the JSON written to it. */
function createHighlightedOutput(out: Output, highlight: (json: string) => string): Output {
  return {
    isTerminal: out.isTerminal,
    get columns() {
      return out.columns;
    },
    get isClosed() {
      return out.isClosed;
    },
    write: (content) => out.write(highlight(String(content))),
  };
}
