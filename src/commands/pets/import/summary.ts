import type { AppContext } from '../../../app/context.js';
import { type GlobalFlags, getTargetFlags, getTargetLabel } from '../../../config/settings.js';
import { Failure, type Hint } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { type ImportFormat, importFormatOfExtension } from '../../../format/output-format.js';
import { truncate } from '../../../format/safe-text.js';
import { formatShellWord } from '../../../format/shell.js';
import { toFlagWords, toPathArgument } from '../command-words.js';
import { describePlace } from './check-rows.js';
import type { ImportTotals } from './send-rows.js';

export interface ImportOptions {
  readonly format?: ImportFormat;
  readonly journal?: string;
  readonly rejects?: string;
  /** Overwrites the rejects file. */
  readonly force?: true;
  readonly dryRun?: true;
}

export interface SummaryOptions {
  readonly totals: ImportTotals;
  readonly format: ImportFormat;
  /** Rows that were never sent. */
  readonly invalidCount: number;
  readonly durationMs: number;
  readonly isDryRun?: boolean | undefined;
  /** The path of the journal; undefined if there is none. */
  readonly journal: string | undefined;
  /** The input, for the command that resumes the import. */
  readonly input: { readonly name: string; readonly isPipe: boolean };
  readonly options: ImportOptions;
}

/** Prints the result of an import: text on stderr or a record. Throws the failure if rows were not added. */
export async function summarize(context: AppContext, summary: SummaryOptions): Promise<void> {
  const { settings, terminal } = context;
  const { totals, format, invalidCount, durationMs, isDryRun, journal } = summary;
  const { added, skipped, unknown, notSent } = totals;
  const rejected = [...totals.rejected].sort((one, other) => one.number - other.number);
  const failure = isDryRun ? undefined : findFailure(summary, context);
  for (const row of rejected.slice(0, maxPrintedRows)) {
    terminal.errorLine(`${describePlace(row, format)}: ${truncate(row.name, 60)} was rejected: ${row.reason}`);
  }
  const hidden = rejected.length - maxPrintedRows;
  if (hidden > 0) terminal.errorLine(`and ${formatNumber(hidden)} more rejected ${hidden === 1 ? 'row' : 'rows'}`);
  if (settings.output === 'table') {
    if (added + skipped + rejected.length + unknown.length + notSent + invalidCount === 0)
      terminal.notice('No rows found.');
    else if (isDryRun) printDryRun(notSent, invalidCount, context);
    else printSummary(summary, context);
    if (failure) throw failure;
    return;
  }
  const unknownRows = unknown.map(({ line, name }) => ({ line, name }));
  const rejectedRows = rejected.map(({ line, name, reason }) => ({ line, name, reason }));
  const record = {
    added,
    skipped,
    rejected: rejected.length + invalidCount,
    unknown: unknown.length,
    notSent,
    seconds: Math.round(durationMs) / 1000,
    rowsPerSecond: Math.round(calculateRate(added, durationMs) * 10) / 10,
    ...(unknownRows.length > 0 && { unknownRows }),
    ...(rejectedRows.length > 0 && { rejectedRows }),
    ...(journal !== undefined && { journal }),
  };
  const columns = context.columns.filter(({ key }) => key in record || settings.fields?.includes(key));
  await context.print({ kind: 'record', columns, record }, failure);
}

/** The number of rejected rows that are printed; `--rejects` saves all of them. */
const maxPrintedRows = 100;

function calculateRate(rows: number, durationMs: number): number {
  return rows / Math.max(0.001, durationMs / 1000);
}

function formatRate(rate: number): string {
  if (rate < 1) return `${(rate * 60).toFixed(1)} rows/min`;
  return `${rate < 1_000 ? rate.toFixed(1) : formatNumber(Math.round(rate))} rows/s`;
}

function printDryRun(validCount: number, invalidCount: number, { terminal }: AppContext): void {
  const checked = `Checked ${formatCount(validCount + invalidCount, 'row')}`;
  if (invalidCount === 0) terminal.success(`${checked}: no problems found`);
  else terminal.notice(`${checked}: ${formatNumber(invalidCount)} ${invalidCount === 1 ? 'is' : 'are'} invalid.`);
}

/** Prints the rows whose outcome is unknown, then the counts; leaves out counts of zero. */
function printSummary(
  { totals, format, invalidCount, durationMs }: SummaryOptions,
  { settings, terminal }: AppContext,
): void {
  const { added, skipped, unknown, notSent } = totals;
  const rejected = totals.rejected.length + invalidCount;
  for (const row of unknown) {
    terminal.notice(`${describePlace(row, format)}: ${truncate(row.name, 60)} may have been added (outcome unknown)`);
  }
  if (unknown.length > 0 && totals.canSettle) {
    terminal.notice('Run the import again to settle these rows. No pet is added twice.');
  }
  const counts = [
    [skipped, 'skipped (already added)'],
    [rejected, 'rejected'],
    [unknown.length, 'with unknown outcome'],
    [notSent, 'not sent'],
  ] as const;
  const others = counts.flatMap(([count, label]) => (count === 0 ? [] : [`${formatNumber(count)} ${label}`]));
  const parts = [
    [`Added ${formatCount(added, 'pet')} to ${getTargetLabel(settings)}`, ...others].join(', '),
    durationMs < 10_000 ? `${(durationMs / 1_000).toFixed(1)}s` : formatDuration(durationMs),
    ...(added > 0 ? [formatRate(calculateRate(added, durationMs))] : []),
  ];
  const isComplete = rejected + unknown.length + notSent === 0;
  terminal[isComplete ? 'success' : 'notice'](parts.join(' · '));
}

/** Returns the failure that stopped the import; a `partial` failure if it was carried out in part. */
function findFailure(summary: SummaryOptions, { signal, flags }: AppContext): Failure | undefined {
  const { added, skipped, unknown, canSettle, stopReason } = summary.totals;
  if (!stopReason) return describeMissing(summary, flags);
  const resumeHint = formatResumeHint(summary, flags);
  const { kind, details } = stopReason;
  if (signal.aborted) {
    const canceled = signal.reason as Failure;
    return new Failure(canceled.kind, { ...canceled.details, hint: resumeHint });
  }
  if (added + skipped === 0) {
    const isResumable = kind === 'rate-limited' || (kind === 'unknown-outcome' && canSettle);
    if (!isResumable) return stopReason;
    // The user must learn that pets may exist.
    return new Failure(unknown.length > 0 ? 'unknown-outcome' : kind, { ...details, hint: resumeHint });
  }
  return new Failure('partial', {
    code: 'import_stopped',
    // Without the outcome: it is that of the last request, and rows with unknown outcome are listed.
    message: `the import stopped: ${details.message}`,
    hint: kind === 'auth' ? joinHints(details.hint, resumeHint) : resumeHint,
    retryAt: details.retryAt,
    cause: stopReason,
  });
}

/** Returns a hint with two steps. A program cannot run the second one before the first. */
function joinHints(first: Hint = [], second: Hint = []): Hint {
  const parts = [first, ', then ', second].flat();
  return parts.map((part) => (typeof part === 'string' ? part : { words: part.words }));
}

/** Returns why an import that was not stopped is incomplete; undefined if every row was added. */
function describeMissing(summary: SummaryOptions, flags: GlobalFlags): Failure | undefined {
  const { totals, invalidCount, format, options } = summary;
  const rejected = totals.rejected.length + invalidCount;
  const unknown = totals.unknown.length;
  const parts = [
    ...(rejected > 0 ? [`${formatCount(rejected, 'row')} ${rejected === 1 ? 'was' : 'were'} rejected`] : []),
    ...(unknown > 0 ? [`the outcome of ${formatCount(unknown, 'row')} is unknown`] : []),
  ];
  if (parts.length === 0) return undefined;
  const partial = (hint: Hint) =>
    new Failure('partial', { code: 'rows_not_added', message: parts.join(', and '), hint });
  const targetFlags = getTargetFlags(flags);
  if (rejected === 0 && totals.canSettle) return partial(formatResumeHint(summary, flags));
  if (rejected === 0) {
    const words = ['pets', 'list', '--all', ...targetFlags];
    return partial(['run ', { words, isNext: true }, ' to check whether these rows were added']);
  }
  if (options.rejects === undefined) {
    return partial('run the same command with --rejects <file> to save the rejected rows');
  }
  const file = toPathArgument(options.rejects);
  const flagWords = toFlagWords({ format: importFormatOfExtension(file) === format ? undefined : format });
  const words = ['pets', 'import', file, ...targetFlags, ...flagWords];
  const fix = `fix the ${rejected === 1 ? 'row' : 'rows'} in ${formatShellWord(file)}, then run `;
  return partial([fix, { words }]);
}

/** Returns the hint that says how to resume an import. */
function formatResumeHint({ input, options }: SummaryOptions, globalFlags: GlobalFlags): Hint {
  const { format, journal, rejects } = options;
  // The rejects file may exist now.
  const force = rejects === undefined ? undefined : true;
  if (input.isPipe) return `run the same command with ${force ? '--force and ' : ''}the same input to resume`;
  const { maxWaitMs, timeoutMs, output } = globalFlags;
  const flags = toFlagWords({
    format,
    journal: toPathArgument(journal),
    rejects: toPathArgument(rejects),
    force,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
    output,
  });
  const words = ['pets', 'import', toPathArgument(input.name), ...getTargetFlags(globalFlags), ...flags];
  return ['run ', { words, isNext: true }, ' to resume'];
}
