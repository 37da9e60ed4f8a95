import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import { Failure } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';
import type { ImportTotals } from './send-rows.js';

export const summaryColumns: readonly Column[] = [
  ...['added', 'skipped', 'rejected', 'inDoubt', 'notSent'],
  ...['seconds', 'rowsPerSecond', 'doubts', 'journal'],
].map((key) => ({ key }));

export interface SummaryOptions {
  readonly durationMs: number;
  readonly isDryRun?: true;
  /** The path of the journal. */
  readonly journal?: string;
  readonly resumeHint?: string;
}

/** Returns the result of an import: text on stderr or a record, and the failure if rows were not added. */
export function summarize(
  { settings, terminal, signal }: AppContext,
  totals: ImportTotals,
  { durationMs, isDryRun, journal, resumeHint }: SummaryOptions,
): CommandResult {
  const { added, skipped, rejected, unknown: inDoubt, notSent } = totals;
  const rate = added / Math.max(0.001, durationMs / 1000);
  const doubts = totals.unknownRows.map(({ line, pet }) => ({ line, name: pet?.name ?? '' }));
  const failure = isDryRun ? undefined : findFailure(totals, signal, resumeHint);
  if (settings.output === 'table') {
    for (const { line, name } of doubts) {
      terminal.notice(`in doubt: line ${line}, ${name}; it was sent, and is not sent again`);
    }
    if (inDoubt > 0) {
      terminal.notice('petstore pets list --all shows whether what is in doubt is there');
    }
    terminal.notice(
      `added ${added}, skipped ${skipped}, rejected ${rejected}, in doubt ${inDoubt}, not sent ${notSent}` +
        ` · ${formatDuration(durationMs)} · ${rate.toFixed(1)} a second`,
    );
    return { kind: 'nothing', ...(failure && { failure }) };
  }
  const record = {
    added,
    skipped,
    rejected,
    inDoubt,
    notSent,
    seconds: Math.round(durationMs) / 1000,
    rowsPerSecond: Math.round(rate * 10) / 10,
    ...(doubts.length > 0 && { doubts }),
    ...(journal !== undefined && { journal }),
  };
  const columns = summaryColumns.filter(({ key }) => key in record || settings.fields?.includes(key));
  return { kind: 'record', columns, record, ...(failure && { failure }) };
}

/** Returns the failure that stopped the import; a `partial` failure if it was carried out in part. */
function findFailure(
  { added, skipped, rejected, unknown, stopReason }: ImportTotals,
  signal: AbortSignal,
  resumeHint: string | undefined,
): Failure | undefined {
  if (stopReason && signal.aborted) {
    const { kind, details } = signal.reason as Failure;
    return new Failure(kind, { ...details, hint: resumeHint });
  }
  if (stopReason && added + skipped === 0) return stopReason;
  if (!stopReason && rejected + unknown === 0) return undefined;
  const { code, message = '', hint, retryAt } = stopReason?.details ?? {};
  return new Failure('partial', {
    code: stopReason ? 'import_stopped' : 'rows_not_added',
    // The last request was not sent, but earlier ones were.
    message: stopReason
      ? `the import stopped: ${message.replace(/; nothing was sent$/, '')}`
      : 'some rows were not added',
    hint: code === 'changed_input' ? hint : stopReason && resumeHint,
    retryAt,
    cause: stopReason,
  });
}
