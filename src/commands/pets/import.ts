import { setMaxListeners } from 'node:events';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import type { AtomicFile } from '../../config/files.js';
import { Failure, usageError } from '../../failure.js';
import { type CheckedInput, checkRows, invalidRowsError, rereadRows } from './import/check-rows.js';
import { checkTypedRows } from './import/confirm-import.js';
import type { Journal } from './import/journal.js';
import { openConfirmedJournal } from './import/open-confirmed-journal.js';
import type { ImportOptions } from './import/options.js';
import { type ImportProgress, startProgress } from './import/progress.js';
import { writeRejects } from './import/rejects.js';
import type { ReplayableInput } from './import/replayable-input.js';
import { formatResumeHint } from './import/resume-hint.js';
import { canSendAgain, createTotals, type ImportTotals, sendRows } from './import/send-rows.js';
import { summarize, summaryColumns } from './import/summary.js';

/** Adds the pets of a file. A journal lets later runs resume the import without adding a pet twice. */
export async function importPets(context: AppContext, path: string, options: ImportOptions): Promise<CommandResult> {
  const { clock, terminal } = context;
  terminal.checkFields(summaryColumns);
  // Each request that waits listens to the signal. By default, Node.js prints a warning for more than 10.
  setMaxListeners(0, context.signal);
  if (!options.dryRun) await context.connections.checkWriteAllowed();
  if (path === '-' && !options.dryRun) checkTypedRows(context);
  let progress: ImportProgress | undefined;
  const connection = options.dryRun
    ? undefined
    : await context.connections.open({
        isImport: true,
        onWait: (until) => progress?.startWait(until) ?? (() => {}),
      });
  const files = await context.files();
  const input = await files.openInput(path);
  const { force = false } = options;
  let rejects: AtomicFile | undefined;
  try {
    if (options.rejects !== undefined && (await input.isAt(options.rejects))) {
      throw usageError('invalid_flag', '--rejects must not be the imported file', 'pass another file name');
    }
    const checked = await checkRows(input, options.format, context);
    const { rowCount, invalidCount } = checked;
    if (invalidCount > 0 && options.rejects === undefined) throw invalidRowsError(checked);
    if (!connection) {
      terminal.notice('Nothing was sent (--dry-run).');
      const totals = { rejected: invalidCount, notSent: rowCount - invalidCount };
      const dryRun = { durationMs: 0, isDryRun: true } as const;
      return summarize(context, { ...createTotals(), ...totals }, dryRun);
    }
    // Before the question: the file may exist.
    rejects = options.rejects === undefined ? undefined : await files.createFile(options.rejects, { force });
    const journal = await openConfirmedJournal(context, { connection, files, input, checked, options });
    try {
      const start = clock.now();
      const { quota: known } = await connection.quotaState();
      progress = await startProgress(context, rowCount, () => connection.reportedQuota() ?? known, journal.isFinished);
      const transfer = { rejects, input, client: connection.client, checked, journal, progress };
      const totals = await sendAndSaveRejects(context, transfer).finally(progress.stop);
      return summarize(context, totals, {
        durationMs: clock.now() - start,
        journal: journal.path,
        canSendAgain: await canSendAgain(totals, connection.client, journal),
        // Without the name of its journal, the import does not resume with another API key.
        resumeHint: formatResumeHint(
          input,
          totals.stopReason?.kind === 'auth' ? { ...options, journal: journal.path } : options,
          context.flags,
        ),
        ...(options.rejects !== undefined && { rejects: { path: options.rejects, format: checked.format } }),
      });
    } finally {
      await journal.close();
    }
  } finally {
    // Unless it was written.
    await rejects?.discard();
    await input.close();
  }
}

interface Transfer {
  readonly rejects: AtomicFile | undefined;
  readonly input: ReplayableInput;
  readonly client: Client;
  readonly checked: CheckedInput;
  readonly journal: Journal;
  readonly progress: ImportProgress;
}

async function sendAndSaveRejects(
  { signal }: AppContext,
  { rejects, input, client, checked, journal, progress }: Transfer,
): Promise<ImportTotals> {
  const totals = await sendRows(rereadRows(input, checked.format), {
    client,
    journal,
    signal,
    rowCount: checked.rowCount,
    onProgress: ({ added, rejected, unknown, skipped }) => progress.update(added + rejected + unknown, skipped),
  });
  if (!totals.stopReason) await journal.finish();
  if (rejects && totals.rejected > 0 && !signal.aborted) {
    try {
      await writeRejects(rejects, input, checked, journal);
      await rejects.commit();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The summary still has to list the added pets.
      totals.stopReason ??= error;
    }
  }
  return totals;
}
