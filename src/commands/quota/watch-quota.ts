import type { AppContext } from '../../app/context.js';
import { pickFields } from '../../cli/command-result.js';
import { formatJson } from '../../format/json.js';
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
  context.onClose(async () => release());
  const release = runtime.deferSignals();
  const isRedrawn = terminal.stdout.isTerminal && terminal.canRedraw && settings.output === 'table';
  const style = await terminal.createStyle('stdout', settings.color);
  let drawnLines = 0;
  let known = '';
  while (!signal.aborted) {
    const report = await reportQuota(context);
    const { seenAt, remaining, windows } = report?.record ?? {};
    const current = formatJson({ seenAt, remaining, windows });
    if (isRedrawn) {
      const text = report?.format(style, terminal.stdout.columns) ?? waiting;
      // Moves up to the first line of the text before, and erases it (ECMA-48 §8.3.22, §8.3.39).
      yield `${drawnLines > 0 ? `\u001b[${drawnLines}A\u001b[J` : ''}${text}`;
      drawnLines = text.split('\n').length - 1;
    } else if (report && current !== known) {
      const { record, format } = report;
      yield settings.output === 'ndjson'
        ? `${formatJson(pickFields(record, settings.fields))}\n`
        : format(style, terminal.stdout.columns);
    } else yield '';
    known = current;
    await clock.sleep(periodMs, signal).catch(() => {});
  }
}

const waiting = 'No quota data yet. Another petstore command updates it.\n';
