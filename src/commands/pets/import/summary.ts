import type { AppContext } from '../../../app/context.js';
import { getTargetFlags, getTargetLabel } from '../../../config/settings.js';
import { Failure, type Hint, sameCommand } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { toFlagWords } from '../../../format/hint.js';
import type { ImportFormat } from '../../../format/output-format.js';
import { truncate } from '../../../format/safe-text.js';
import { type CheckedInput, describePlace, printLines } from './check-rows.js';
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
  /** The path of the journal, if rows were to be sent. */
  readonly journal?: string;
  readonly path: string;
  readonly isPipe: boolean;
  readonly options: ImportOptions;
}

/** Prints the result of an import: text on stderr or a record. Throws the failure if rows were not added. */
export async function summarize(context: AppContext, summary: ImportSummary): Promise<void> {
  const { settings, terminal } = context;
  const { totals, input, journal, options } = summary;
  const { added, skipped, rejected, unknown, notSent, durationMs } = totals;
  const failure = options.dryRun ? undefined : findFailure(summary, context);
  const describe = (row: (typeof unknown)[number]) => `${describePlace(row, input.format)}: ${truncate(row.name, 60)}`;
  const rejections = rejected.map((row) => `${describe(row)} was rejected: ${row.reason}`);
  printLines(rejections, 'rejected row', terminal.errorLine);
  if (settings.output === 'table') {
    const unknowns = unknown.map((row) => `${describe(row)} may have been added (outcome unknown)`);
    printLines(unknowns, 'row with unknown outcome', terminal.notice);
    const total = input.rows.length + input.invalid.length;
    if (total === 0) terminal.notice('No rows found.');
    else if (!options.dryRun) printSummary(summary, context);
    else if (input.invalid.length > 0) terminal.notice(`Checked ${formatCount(total, 'row')}.`);
    else terminal.success(`Checked ${formatCount(total, 'row')}: no problems found`);
    if (failure) throw failure;
    return;
  }
  const record = {
    added,
    skipped,
    rejected: rejected.length + input.invalid.length,
    unknown: unknown.length,
    notSent,
    seconds: Math.round(durationMs) / 1000,
    rowsPerSecond: Math.round(calculateRate(added, durationMs) * 10) / 10,
    ...(unknown.length > 0 && { unknownRows: unknown.map(({ line, name }) => ({ line, name })) }),
    ...(rejected.length > 0 && { rejectedRows: rejected.map(({ line, name, reason }) => ({ line, name, reason })) }),
    ...(journal !== undefined && { journal }),
  };
  const columns = context.columns.filter(({ key }) => key in record || settings.fields?.includes(key));
  await context.print({ kind: 'record', columns, record }, failure);
}

function calculateRate(rows: number, durationMs: number): number {
  return rows / Math.max(0.001, durationMs / 1000);
}

function printSummary(summary: ImportSummary, { settings, terminal }: AppContext): void {
  const { added, skipped, durationMs } = summary.totals;
  const missing = describeMissing(summary);
  const before = skipped > 0 ? [`${formatNumber(skipped)} skipped (already added)`] : [];
  const rate = calculateRate(added, durationMs);
  const parts = [
    [`Added ${formatCount(added, 'pet')} to ${getTargetLabel(settings)}`, ...before, ...missing].join(', '),
    durationMs < 10_000 ? `${(durationMs / 1_000).toFixed(1)}s` : formatDuration(durationMs),
    ...(added > 0 ? [`${rate < 1_000 ? rate.toFixed(1) : formatNumber(Math.round(rate))} rows/s`] : []),
  ];
  terminal[missing.length === 0 ? 'success' : 'notice'](parts.join(' · '));
}

/** Counts the rows that were not added, by reason: `2 rejected`. */
function describeMissing({ totals, input }: ImportSummary): readonly string[] {
  const counts = [
    [totals.rejected.length + input.invalid.length, 'rejected'],
    [totals.unknown.length, 'with unknown outcome'],
    [totals.notSent, 'not sent'],
  ] as const;
  return counts.flatMap(([count, label]) => (count > 0 ? [`${formatNumber(count)} ${label}`] : []));
}

/** Returns the failure that stopped the import, or why a complete one lacks rows; undefined if every row was added. */
function findFailure(summary: ImportSummary, context: AppContext): Failure | undefined {
  const { added, skipped, unknown, stopReason } = summary.totals;
  if (!stopReason) {
    const missing = describeMissing(summary);
    const message = `some rows were not added: ${missing.join(', ')}`;
    if (missing.length === 0) return undefined;
    return new Failure('partial', { code: 'rows_not_added', message, hint: findHint(summary, context) });
  }
  const { kind, details } = stopReason;
  const hint = addResumeHint(stopReason, formatResumeHint(summary, context));
  if (kind === 'canceled') return new Failure(kind, { ...details, hint });
  // With unknown rows, the user must learn that pets may exist.
  if (added + skipped === 0) return new Failure(unknown.length > 0 ? 'unknown-outcome' : kind, { ...details, hint });
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
function findHint(summary: ImportSummary, context: AppContext): Hint {
  const { totals, input, options } = summary;
  if (totals.rejected.length + input.invalid.length > 0) {
    if (options.rejects === undefined) return 'run the same command with --rejects <file> to save the rejected rows';
    const words = ['pets', 'import', toPathArgument(options.rejects), ...getTargetFlags(context.settings)];
    return ['fix the rejected rows, then run ', { words }];
  }
  if (totals.canSettle) return formatResumeHint(summary, context);
  const words = ['pets', 'list', '--all', ...getTargetFlags(context.settings)];
  return ['run ', { words, isNext: true }, ' to check whether these rows were added'];
}

/** Returns the hint that says how to resume an import. */
function formatResumeHint({ path, isPipe, options }: ImportSummary, context: AppContext): Hint {
  const { format, journal, rejects } = options;
  // The rejects file may exist now.
  const force = rejects === undefined ? undefined : true;
  if (isPipe) return `run the same command with ${force ? '--force and ' : ''}the same input to resume`;
  const { maxWaitMs, timeoutMs, output } = context.flags;
  const flags = toFlagWords({
    format,
    journal: toPathArgument(journal),
    rejects: toPathArgument(rejects),
    force,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
    output,
  });
  const words = ['pets', 'import', toPathArgument(path), ...getTargetFlags(context.settings), ...flags];
  return ['run ', { words, isNext: true }, ' to resume'];
}

/** Returns a path that a command cannot mistake for a flag or for standard input. */
function toPathArgument(path: string): string;
function toPathArgument(path: string | undefined): string | undefined;
function toPathArgument(path: string | undefined): string | undefined {
  return path?.startsWith('-') ? `./${path}` : path;
}
