import type { NewPet } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import { type GlobalFlags, getTargetFlags, getTargetLabel } from '../../../config/settings.js';
import { type Command, Failure, type Hint } from '../../../failure.js';
import { formatCount, formatElapsed, formatNumber } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import { formatShellWord } from '../../../format/shell.js';
import { isPrintablePath, toFlagWords, toPathArgument } from '../command-words.js';
import { formatOfExtension } from './check-rows.js';
import type { ImportFormat } from './options.js';
import type { ImportTotals } from './send-rows.js';

export const summaryColumns: readonly Column[] = [
  ...['added', 'skipped', 'rejected', 'inDoubt', 'notSent'],
  ...['seconds', 'rowsPerSecond', 'doubts', 'rejections', 'journal'],
].map((key) => ({ key }));

export interface SummaryOptions {
  readonly durationMs: number;
  readonly isDryRun?: true;
  /** The path of the journal. */
  readonly journal?: string;
  readonly resumeHint?: Hint;
  /** True if another run sends rows with unknown outcome again, with the same idempotency key. */
  readonly canSendAgain?: boolean;
  /** The file for rejected rows, and the format that it is written in. */
  readonly rejects?: { readonly path: string; readonly format: ImportFormat };
}

/** Returns the result of an import: text on stderr or a record, and the failure if rows were not added. */
export function summarize(context: AppContext, totals: ImportTotals, options: SummaryOptions): CommandResult {
  const { settings } = context;
  const { durationMs, isDryRun, journal } = options;
  const { added, skipped, rejected, unknown: inDoubt, notSent } = totals;
  const rowsPerSecond = calculateRate(added, durationMs);
  const failure = isDryRun ? undefined : findFailure(totals, context, options);
  printRejectedRows(totals, context);
  if (context.signal.aborted && options.rejects && rejected > 0) {
    const path = toSafeText(options.rejects.path);
    context.terminal.notice(`To save the rejected rows to ${path}, resume the import.`);
  }
  if (settings.output === 'table') {
    if (added + skipped + rejected + inDoubt + notSent === 0) context.terminal.notice('No rows found.');
    else if (isDryRun) printDryRun(totals, context);
    else printSummary(totals, options, context);
    return { kind: 'nothing', ...(failure && { failure }) };
  }
  const doubts = totals.unknownRows.map(({ line, pet }) => ({ line, name: pet?.name ?? '' }));
  const rejections = totals.rejectedRows.map(({ line, pet, reason }) => ({ line, name: pet?.name ?? '', reason }));
  const record = {
    added,
    skipped,
    rejected,
    inDoubt,
    notSent,
    seconds: Math.round(durationMs) / 1000,
    rowsPerSecond: Math.round(rowsPerSecond * 10) / 10,
    ...(doubts.length > 0 && { doubts }),
    ...(rejections.length > 0 && { rejections }),
    ...(journal !== undefined && { journal }),
  };
  const columns = summaryColumns.filter(({ key }) => key in record || settings.fields?.includes(key));
  return { kind: 'record', columns, record, ...(failure && { failure }) };
}

function calculateRate(rows: number, durationMs: number): number {
  return rows / Math.max(0.001, durationMs / 1000);
}

/** Rounds to milliseconds below one second, to tenths of a second below ten seconds, else to seconds. */
function roundElapsed(milliseconds: number): number {
  const unitMs = milliseconds < 999.5 ? 1 : milliseconds < 9_950 ? 100 : 1_000;
  return Math.round(milliseconds / unitMs) * unitMs;
}

function formatRate(rate: number): string {
  if (rate < 1) return `${(rate * 60).toFixed(1)} rows/min`;
  return `${rate < 1_000 ? rate.toFixed(1) : formatNumber(Math.round(rate))} rows/s`;
}

function printDryRun({ rejected, notSent }: ImportTotals, { terminal }: AppContext): void {
  const checked = `Checked ${formatCount(rejected + notSent, 'row')}`;
  if (rejected === 0) terminal.success(`${checked}: no problems found`);
  else terminal.notice(`${checked}: ${formatNumber(rejected)} ${rejected === 1 ? 'is' : 'are'} invalid.`);
}

/** The number of rejected rows that are printed; `--rejects` saves all of them. */
const maxPrintedRejections = 100;

/** Prints the rows that the service rejected, even with `--quiet`. The invalid rows are printed before the first request. */
function printRejectedRows({ rejectedByService, rejectedRows }: ImportTotals, { terminal }: AppContext): void {
  for (const { position, pet, reason } of sortByNumber(rejectedRows).slice(0, maxPrintedRejections)) {
    terminal.errorLine(`${position}: ${formatName(pet)} was rejected: ${reason}`);
  }
  const hidden = rejectedByService - maxPrintedRejections;
  if (hidden > 0) terminal.errorLine(`and ${formatNumber(hidden)} more rejected ${hidden === 1 ? 'row' : 'rows'}`);
}

/** Rows are processed concurrently. */
function sortByNumber<Row extends { readonly number: number }>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((one, other) => one.number - other.number);
}

const maxNameLength = 60;

/** Shortens names that would fill several lines. */
function formatName(pet: NewPet | undefined): string {
  if (pet === undefined) return 'the row';
  const characters = [...pet.name];
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : pet.name;
}

/** Prints the rows whose outcome is unknown, then the counts; leaves out counts of zero. */
function printSummary(
  totals: ImportTotals,
  { durationMs, canSendAgain }: SummaryOptions,
  { settings, terminal, flags }: AppContext,
): void {
  const { added, skipped, rejected, unknown, unknownRows, notSent } = totals;
  for (const { position, pet } of sortByNumber(unknownRows)) {
    terminal.notice(`${position}: ${formatName(pet)} may have been added (outcome unknown)`);
  }
  // If nothing else is missing, the hint of the failure says the same.
  if (unknown > 0 && canSendAgain) {
    terminal.notice('Run the import again to settle these rows. No pet is added twice.');
  } else if (unknown > 0 && rejected + notSent > 0) {
    terminal.notice(['Run ', toCheckCommand(flags), ' to check whether these rows were added.']);
  }
  const counts = [
    [skipped, 'skipped (already added)'],
    [rejected, 'rejected'],
    [unknown, 'with unknown outcome'],
    [notSent, 'not sent'],
  ] as const;
  const others = counts.flatMap(([count, label]) => (count === 0 ? [] : [`${formatNumber(count)} ${label}`]));
  // The rate is calculated from the time that is shown, so that the two agree.
  const elapsedMs = roundElapsed(durationMs);
  const parts = [
    [`Added ${formatCount(added, 'pet')} to ${getTargetLabel(settings)}`, ...others].join(', '),
    elapsedMs > 1_000 && elapsedMs < 10_000 ? `${elapsedMs / 1_000}s` : formatElapsed(elapsedMs),
    ...(added > 0 ? [formatRate(calculateRate(added, elapsedMs))] : []),
  ];
  const isComplete = rejected + unknown + notSent === 0;
  terminal[isComplete ? 'success' : 'notice'](parts.join(' · '));
}

/** Returns the failure that stopped the import; a `partial` failure if it was carried out in part. */
function findFailure(
  totals: ImportTotals,
  { signal, flags }: AppContext,
  options: SummaryOptions,
): Failure | undefined {
  const { added, skipped, rejected, unknown, stopReason } = totals;
  const { resumeHint, canSendAgain, rejects } = options;
  if (stopReason && signal.aborted) {
    const { kind, details } = signal.reason as Failure;
    return new Failure(kind, { ...details, hint: resumeHint });
  }
  if (!stopReason) {
    if (rejected + unknown === 0) return undefined;
    const message = describeMissing(totals);
    return new Failure('partial', {
      code: 'rows_not_added',
      message,
      hint: rejected === 0 && canSendAgain ? resumeHint : formatRowsHint(totals, rejects, flags),
    });
  }
  const { code, message, hint, retryAt } = stopReason.details;
  // Until the user fixes these, the same command cannot continue.
  const needsFix = code === 'changed_input';
  if (added + skipped === 0) {
    const isResumable = stopReason.kind === 'rate-limited' || (stopReason.kind === 'unknown-outcome' && canSendAgain);
    if (!isResumable || needsFix) return stopReason;
    // The user must learn that pets may exist.
    const kind = unknown > 0 ? 'unknown-outcome' : stopReason.kind;
    return new Failure(kind, { ...stopReason.details, hint: resumeHint });
  }
  return new Failure('partial', {
    code: 'import_stopped',
    // Without the outcome: it is that of the last request, and rows with unknown outcome are listed.
    message: `the import stopped: ${message}`,
    hint: needsFix ? hint : stopReason.kind === 'auth' ? joinHints(hint, resumeHint) : resumeHint,
    retryAt,
    cause: stopReason,
  });
}

/** Returns a hint with two steps. Its commands are only shown, since the second one fails before the first step. */
function joinHints(first: Hint = [], second: Hint = []): Hint {
  const parts = [first, ', then ', second].flat();
  return parts.map((part) => (typeof part === 'string' ? part : { ...part, isShownOnly: true }));
}

function describeMissing({ rejected, unknown }: ImportTotals): string {
  const parts = [
    ...(rejected > 0 ? [`${formatCount(rejected, 'row')} ${rejected === 1 ? 'was' : 'were'} rejected`] : []),
    ...(unknown > 0 ? [`the outcome of ${formatCount(unknown, 'row')} is unknown`] : []),
  ];
  return parts.join(', and ');
}

function formatRowsHint({ rejected }: ImportTotals, rejects: SummaryOptions['rejects'], flags: GlobalFlags): Hint {
  if (rejected === 0) return ['run ', toCheckCommand(flags), ' to check whether these rows were added'];
  if (rejects === undefined) return 'run the same command with --rejects <file> to save the rejected rows';
  const { path, format } = rejects;
  const rows = rejected === 1 ? 'row' : 'rows';
  if (!isPrintablePath(path)) return `fix the ${rows} in the file of --rejects, then import that file`;
  const file = toPathArgument(path);
  const flagWords = toFlagWords({ format: formatOfExtension(path) === format ? undefined : format });
  const words = ['pets', 'import', file, ...getTargetFlags(flags), ...flagWords];
  return [`fix the ${rows} in ${formatShellWord(file)}, then run `, { words, isShownOnly: true }];
}

function toCheckCommand(flags: GlobalFlags): Command {
  return { words: ['pets', 'list', '--all', ...getTargetFlags(flags)] };
}
