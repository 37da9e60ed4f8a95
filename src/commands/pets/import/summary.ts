import type { AppContext } from '../../../app/context.js';
import { getTargetFlags, getTargetLabel } from '../../../config/settings.js';
import { Failure, type Hint, sameCommand } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { toFlagWords } from '../../../format/hint.js';
import type { ImportFormat } from '../../../format/output-format.js';
import { truncate } from '../../../format/safe-text.js';
import { type CheckedInput, describePlace } from './check-rows.js';
import type { ImportTotals } from './send-rows.js';

export interface ImportOptions {
  readonly format?: ImportFormat;
  readonly journal?: string;
  readonly rejects?: string;
  /** Overwrites the rejects file. */
  readonly force?: true;
  readonly dryRun?: true;
}

export interface ImportSummary {
  readonly totals: ImportTotals;
  readonly input: CheckedInput;
  /** Undefined for a pipe. */
  readonly path: string | undefined;
  readonly options: ImportOptions;
}

/** Prints the result of an import: text on stderr or a record. Throws the failure if rows were not added. */
export async function summarize(context: AppContext, summary: ImportSummary): Promise<void> {
  const { settings, terminal } = context;
  const { totals, input, options } = summary;
  const { rejected, unknown, journal } = totals;
  const counts = countRows(summary);
  const failure = options.dryRun ? undefined : findFailure(summary, counts, context);
  const describe = (row: (typeof unknown)[number]) => `${describePlace(row, input.format)}: ${truncate(row.name, 60)}`;
  for (const row of rejected) terminal.errorLine(`${describe(row)} was rejected: ${row.reason}`);
  if (settings.output === 'table') {
    for (const row of unknown) terminal.notice(`${describe(row)} may have been added (outcome unknown)`);
    const total = input.rows.length + input.invalid.length;
    if (total === 0) terminal.notice('No rows found.');
    else if (!options.dryRun) printCounts(counts, context);
    else if (input.invalid.length > 0) terminal.notice(`Checked ${formatCount(total, 'row')}.`);
    else terminal.success(`Checked ${formatCount(total, 'row')}: no problems found`);
    if (failure) throw failure;
    return;
  }
  const record = {
    ...counts,
    ...(unknown.length > 0 && { unknownRows: unknown.map(({ line, name }) => ({ line, name })) }),
    ...(rejected.length > 0 && { rejectedRows: rejected.map(({ line, name, reason }) => ({ line, name, reason })) }),
    ...(journal !== undefined && { journal }),
  };
  const columns = context.columns.filter(({ key }) => key in record || settings.fields?.includes(key));
  await context.print({ kind: 'record', columns, record }, failure);
}

type RowCounts = ReturnType<typeof countRows>;

/** Counts the rows of the input by outcome. */
function countRows({ totals, input }: ImportSummary) {
  const { added, skipped, rejected, unknown, durationMs } = totals;
  return {
    added,
    skipped,
    rejected: rejected.length + input.invalid.length,
    unknown: unknown.length,
    notSent: input.rows.length - added - skipped - rejected.length - unknown.length,
    seconds: Math.round(durationMs) / 1_000,
    rowsPerSecond: Math.round((added / Math.max(0.001, durationMs / 1_000)) * 10) / 10,
  };
}

function printCounts(counts: RowCounts, { settings, terminal }: AppContext): void {
  const { added, skipped, seconds, rowsPerSecond: rate } = counts;
  const missing = describeMissing(counts);
  const before = skipped > 0 ? [`${formatNumber(skipped)} skipped (already added)`] : [];
  const parts = [
    [`Added ${formatCount(added, 'pet')} to ${getTargetLabel(settings)}`, ...before, ...missing].join(', '),
    seconds < 10 ? `${seconds.toFixed(1)}s` : formatDuration(seconds * 1_000),
    ...(added > 0 ? [`${rate < 1_000 ? rate.toFixed(1) : formatNumber(Math.round(rate))} rows/s`] : []),
  ];
  terminal[missing.length === 0 ? 'success' : 'notice'](parts.join(' · '));
}

/** Counts the rows that were not added, by reason: `2 rejected`. */
function describeMissing({ rejected, unknown, notSent }: RowCounts): readonly string[] {
  const counts = Object.entries({ rejected, 'with unknown outcome': unknown, 'not sent': notSent });
  return counts.flatMap(([label, count]) => (count > 0 ? [`${formatNumber(count)} ${label}`] : []));
}

/** Returns the failure that stopped the import, or why a complete one lacks rows; undefined if every row was added. */
function findFailure(summary: ImportSummary, counts: RowCounts, context: AppContext): Failure | undefined {
  const { stopReason } = summary.totals;
  if (!stopReason) {
    const missing = describeMissing(counts);
    const message = `some rows were not added: ${missing.join(', ')}`;
    if (missing.length === 0) return undefined;
    return new Failure('partial', { code: 'rows_not_added', message, hint: findHint(summary, counts, context) });
  }
  const { kind, details } = stopReason;
  const hint = addResumeHint(stopReason, formatResumeHint(summary, context));
  if (kind === 'canceled') return new Failure(kind, { ...details, hint });
  // With unknown rows, the user must learn that pets may exist.
  const { added, skipped, unknown } = counts;
  if (added + skipped === 0) return new Failure(unknown > 0 ? 'unknown-outcome' : kind, { ...details, hint });
  // Without the outcome: it is that of the last request, and rows with unknown outcome are listed.
  const message = `the import stopped: ${details.message}`;
  return new Failure('partial', { code: 'import_stopped', message, hint, retryAt: details.retryAt, cause: stopReason });
}

/** Returns the hint for an import that stopped. Most causes must be fixed before it can resume. */
function addResumeHint({ kind, details: { hint } }: Failure, resume: Hint): Hint {
  const isRetry = typeof hint === 'object' && hint.includes(sameCommand);
  if (hint === undefined || isRetry || kind === 'canceled' || kind === 'unknown-outcome') return resume;
  if (kind === 'rate-limited') return [resume, ', or ', hint].flat();
  // A program cannot run the second command before the first.
  const parts = [hint, ', then ', resume].flat();
  return parts.map((part) => (typeof part === 'string' ? part : { words: part.words }));
}

/** Returns what to do about rows of a complete import that were not added. */
function findHint(summary: ImportSummary, { rejected }: RowCounts, context: AppContext): Hint {
  const { totals, options } = summary;
  const target = getTargetFlags(context.settings);
  if (rejected > 0) {
    if (options.rejects === undefined) return 'run the same command with --rejects <file> to save the rejected rows';
    return ['fix the rejected rows, then run ', { words: ['pets', 'import', options.rejects, ...target] }];
  }
  if (totals.canSettle) return formatResumeHint(summary, context);
  const words = ['pets', 'list', '--all', ...target];
  return ['run ', { words, isNext: true }, ' to check whether these rows were added'];
}

/** Returns the hint that says how to resume an import. */
function formatResumeHint({ path, options }: ImportSummary, context: AppContext): Hint {
  const { format, journal, rejects } = options;
  // The rejects file may exist now.
  const force = rejects === undefined ? undefined : true;
  if (path === undefined) return `run the same command with ${force ? '--force and ' : ''}the same input to resume`;
  const { maxWaitMs, timeoutMs, output } = context.flags;
  const flags = toFlagWords({
    ...{ format, journal, rejects, force },
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
    output,
  });
  const words = ['pets', 'import', path, ...getTargetFlags(context.settings), ...flags];
  return ['run ', { words, isNext: true }, ' to resume'];
}
