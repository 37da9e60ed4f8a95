import { stripVTControlCharacters } from 'node:util';
import type { AppContext } from '../../app/context.js';
import { pickFields } from '../../cli/command-result.js';
import { displayWidth } from '../../format/display-width.js';
import { formatJson } from '../../format/json.js';
import { countRows, eraseBelow, trackHiddenRows } from '../../terminal/record-drawing.js';
import { reportQuota } from './report-quota.js';

const periodMs = 1_000;

/**
 * Yields the last known quota each second until the command is canceled, in place of the one before. If the terminal
 * cannot redraw, yields it only after it changed. Sends nothing.
 */
export async function* watchQuota(context: AppContext): AsyncIterable<string> {
  const { clock, runtime, settings, signal } = context;
  const { terminal } = runtime;
  // Ctrl-C is the normal end.
  const release = runtime.deferSignals();
  context.onClose(async () => release());
  const isRedrawn = terminal.stdout.isTerminal && terminal.canRedraw && settings.output === 'table';
  const jobControl = isRedrawn ? await terminal.openJobControl() : undefined;
  let drawn = '';
  let takeReturnedRows = trackHiddenRows(terminal.stdout);
  // After Ctrl-Z, the lines above belong to the shell.
  const suspend = () => {
    drawn = '';
    takeReturnedRows = trackHiddenRows(terminal.stdout);
  };
  const removeView = jobControl?.add({ suspend, resume: () => {} });
  context.onClose(async () => removeView?.());
  const style = await terminal.createStyle('stdout', settings.color);
  // Empty only at first.
  let known = '';
  while (!signal.aborted) {
    const report = await reportQuota(context);
    const { seenAt, remaining, windows } = report?.record ?? {};
    const current = formatJson({ seenAt, remaining, windows });
    if (jobControl && !(await jobControl.isForeground())) yield '';
    else if (isRedrawn) {
      const { columns = 80, rows = 24 } = terminal.stdout;
      // Below the view, the cursor takes a row.
      const text = cutText(report?.format(style, columns) ?? `${waiting}\n`, columns, rows - 1);
      const drawnRows = drawn === '' ? 0 : countTextRows(drawn, columns);
      const returnedRows = takeReturnedRows(drawn === '' ? 0 : drawnRows + 1);
      yield `${drawn === '' ? '' : eraseBelow(drawnRows + returnedRows)}${text}`;
      drawn = text;
    } else if (report && current !== known) {
      const { record, format } = report;
      yield settings.output === 'ndjson'
        ? `${formatJson(pickFields(record, settings.fields))}\n`
        : format(style, terminal.stdout.columns);
    } else {
      if (!report && known === '') context.terminal.notice(waiting);
      yield '';
    }
    known = current;
    await clock.sleep(periodMs, signal).catch(() => {});
  }
}

/** Returns the first lines of a text, as many as fit in these rows: a terminal would scroll the text out of view. */
function cutText(text: string, columns: number, maxRows: number): string {
  const lines = text.split(/(?<=\n)/);
  while (countTextRows(lines.join(''), columns) > maxRows) lines.pop();
  return lines.join('');
}

/** Returns the rows that complete lines take. */
function countTextRows(text: string, columns: number): number {
  return countRows(stripVTControlCharacters(text).split('\n').slice(0, -1), columns, displayWidth);
}

const waiting = 'No quota data yet. Another petstore command updates it.';
