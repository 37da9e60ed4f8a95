import type { AppContext, ImportConnection } from '../../app/context.js';
import type { Files } from '../../app/files.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getTargetLabel } from '../../config/settings.js';
import { canceledError, Failure, usageError } from '../../failure.js';
import { type CheckedInput, checkRows, invalidRowsError, rereadRows } from './import/check-rows.js';
import type { Journal } from './import/journal.js';
import type { ImportOptions } from './import/options.js';
import { estimateTime, type ImportProgress, startProgress } from './import/progress.js';
import { openRejectsFile, type RejectsFile } from './import/rejects.js';
import type { ReplayableInput } from './import/replayable-input.js';
import { formatResumeHint } from './import/resume-hint.js';
import { createTotals, type ImportTotals, sendRows } from './import/send-rows.js';
import { summarize, summaryColumns } from './import/summary.js';

/** Adds the pets of a file. A journal lets later runs resume the import without adding a pet twice. */
export async function importPets(
  context: AppContext,
  path: string,
  options: ImportOptions,
): Promise<CommandResult> {
  const { clock, terminal } = context;
  terminal.checkFields(summaryColumns);
  if (options.rejects !== undefined && options.rejects === path) {
    throw usageError('invalid_flag', '--rejects must not be the file that is imported');
  }
  let progress: ImportProgress | undefined;
  const connection = options.dryRun
    ? undefined
    : await context.connections.openForImport({
        onWait: (until) => progress?.startWait(until) ?? (() => {}),
      });
  const files = await context.files();
  const input = await files.openInput(path);
  try {
    const { format } = options;
    const checked = await checkRows(input, { format, notice: terminal.notice });
    const { rowCount, invalidCount } = checked;
    if (invalidCount > 0 && options.rejects === undefined) throw invalidRowsError(checked);
    if (!connection) {
      terminal.notice('nothing was sent (--dry-run)');
      const totals = { rejected: invalidCount, notSent: rowCount - invalidCount };
      return summarize(
        context,
        { ...createTotals(), ...totals },
        { durationMs: 0, isDryRun: true },
      );
    }
    const journal = await openJournal(context, { files, input, connection, checked, options });
    try {
      if (journal.isFinished) {
        terminal.notice('this file was imported before; --journal NEW imports it again');
      } else await confirm(context, checked, journal);
      const start = clock.now();
      progress = await startProgress(context, rowCount, connection.quota);
      const transfer = { files, input, connection, checked, options, journal, progress };
      const totals = await sendAndSaveRejects(context, transfer).finally(progress.stop);
      return summarize(context, totals, {
        durationMs: clock.now() - start,
        journal: journal.path,
        resumeHint: formatResumeHint(path, options, context.flags),
      });
    } finally {
      await journal.close();
    }
  } finally {
    await input.close();
  }
}

interface Transfer {
  readonly files: Files;
  readonly input: ReplayableInput;
  readonly connection: ImportConnection;
  readonly checked: CheckedInput;
  readonly options: ImportOptions;
  readonly journal: Journal;
  readonly progress: ImportProgress;
}

function openJournal(
  { terminal }: AppContext,
  { files, input, connection, checked, options }: Omit<Transfer, 'journal' | 'progress'>,
): Promise<Journal> {
  return files.openJournal({
    ...(options.journal !== undefined && { path: options.journal }),
    account: connection.account,
    source: { name: input.name, digest: input.digest },
    format: checked.format,
    onChanged: (other) =>
      terminal.notice(
        `${input.name} has changed since an import of it was not finished (${other}); this is another one`,
      ),
  });
}

/** Asks for confirmation, unless there is nobody to ask: then running the command confirms it. */
async function confirm(
  { clock, quota, settings, terminal: { prompts } }: AppContext,
  { rowCount, invalidCount }: CheckedInput,
  { sentRows }: Journal,
): Promise<void> {
  if (!prompts.isInteractive) return;
  // After a power cut more rows may count as sent than there are.
  const left = Math.max(1, rowCount - invalidCount - sentRows);
  const target = getTargetLabel(settings);
  const time = estimateTime(left, (await quota.lastSeen())?.quota, clock.now());
  const work = `${sentRows > 0 ? 'Go on with' : 'Add'} ${left} ${left === 1 ? 'row' : 'rows'}`;
  const isConfirmed = await prompts.confirm({
    message: `${work} to ${target}?${time === undefined ? '' : ` That takes about ${time}.`}`,
    missingInputMessage: 'pass --yes to import',
  });
  if (!isConfirmed) throw canceledError('nothing was sent');
}

async function sendAndSaveRejects(
  { signal }: AppContext,
  { files, input, connection, checked, options, journal, progress }: Transfer,
): Promise<ImportTotals> {
  const rejects = await openRejectsFile(files, options.rejects, journal);
  try {
    const totals = await sendRows(rereadRows(input, checked.format), {
      client: connection.client,
      journal,
      concurrency: options.concurrency,
      signal,
      rowCount: checked.rowCount,
      onProgress: ({ added, rejected, unknown, skipped }) =>
        progress.update(added + rejected + unknown, skipped),
    });
    if (!totals.stopReason && !journal.isFinished) await journal.finish();
    if (rejects && totals.rejected > 0 && !signal.aborted) {
      const failure = await saveRejects(rejects, input, checked);
      if (failure) totals.stopReason ??= failure;
    }
    return totals;
  } finally {
    await rejects?.discard();
  }
}

/** Returns a failure instead of throwing it, so that the summary still lists the added pets. */
async function saveRejects(
  rejects: RejectsFile,
  input: ReplayableInput,
  checked: CheckedInput,
): Promise<Failure | undefined> {
  try {
    await rejects.write(input, checked);
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error;
  }
}
