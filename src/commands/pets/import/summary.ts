import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import { Failure } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';
import type { Checked } from './check-rows.js';
import type { Totals } from './send-rows.js';

export const summaryColumns: readonly Column[] = [
  { key: 'added' },
  { key: 'skipped' },
  { key: 'rejected' },
  { key: 'inDoubt' },
  { key: 'notSent' },
  { key: 'seconds' },
  { key: 'rowsPerSecond' },
  { key: 'doubts' },
  { key: 'journal' },
];

/** The totals of an import that was only checked. */
export function nothingSent({ rows, invalid }: Checked): Totals {
  return {
    added: 0,
    skipped: 0,
    rejected: invalid,
    inDoubt: 0,
    doubts: [],
    doubtsInARow: 0,
    notSent: rows - invalid,
    isDryRun: true,
  };
}

export interface Ending {
  readonly milliseconds: number;
  readonly journal?: string;
  /** How to go on with what was not sent. */
  readonly resume?: string;
}

/** What an import ends with: words on stderr, a record for a script, and the failure that it was, if any. */
export function summaryOf(
  context: AppContext,
  totals: Totals,
  { milliseconds, journal, resume }: Ending,
): CommandResult {
  const { added, skipped, rejected, inDoubt, notSent, doubts } = totals;
  const rate = added / Math.max(0.001, milliseconds / 1000);
  const rows = doubts.map(({ line, pet }) => ({ line, name: pet?.name ?? '' }));
  const failure = failureOf(totals, context.signal, resume);
  if (context.settings.output === 'table') {
    for (const { line, name } of rows) {
      context.terminal.notice(
        `in doubt: line ${line}, ${name}; it was sent, and is not sent again`,
      );
    }
    if (inDoubt > 0) {
      context.terminal.notice('petstore pets list --all shows whether what is in doubt is there');
    }
    context.terminal.notice(
      `added ${added}, skipped ${skipped}, rejected ${rejected}, in doubt ${inDoubt}, not sent ${notSent}` +
        ` · ${formatDuration(milliseconds)} · ${rate.toFixed(1)} a second`,
    );
    return { kind: 'nothing', ...(failure && { failure }) };
  }
  const record = {
    added,
    skipped,
    rejected,
    inDoubt,
    notSent,
    seconds: Math.round(milliseconds) / 1000,
    rowsPerSecond: Math.round(rate * 10) / 10,
    ...(rows.length > 0 && { doubts: rows }),
    ...(journal !== undefined && { journal }),
  };
  const shown = context.settings.fields;
  return {
    kind: 'record',
    columns: summaryColumns.filter(({ key }) => key in record || shown?.includes(key)),
    record,
    ...(failure && { failure }),
  };
}

/** What stopped an import is its failure where no row was added; else it was done in part. */
function failureOf(
  { added, skipped, rejected, inDoubt, stopped, isDryRun }: Totals,
  signal: AbortSignal,
  resume: string | undefined,
): Failure | undefined {
  if (isDryRun) return undefined;
  // What a single request would tell of its end is not what became of the import.
  if (stopped && signal.aborted) return hinted(signal.reason as Failure, resume);
  if (stopped && added + skipped === 0) return stopped;
  if (!stopped && rejected + inDoubt === 0) return undefined;
  return new Failure('partial', {
    code: stopped ? 'import_stopped' : 'rows_not_added',
    message: stopped
      ? `the import stopped: ${ofAll(stopped.details.message)}`
      : 'some rows were not added',
    hint: stopped?.details.code === 'changed_input' ? stopped.details.hint : stopped && resume,
    retryAt: stopped?.details.retryAt,
    cause: stopped,
  });
}

function hinted({ kind, details }: Failure, hint: string | undefined): Failure {
  return new Failure(kind, { ...details, hint });
}

/** What is told of the request that was not sent any more is not true of those before. */
function ofAll(message: string): string {
  return message.replace(/; nothing was sent$/, '');
}
