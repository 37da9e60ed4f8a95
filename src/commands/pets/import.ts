import type { AppContext, ImportConnection } from '../../app/context.js';
import type { Files } from '../../app/files.js';
import type { CommandResult } from '../../cli/command-result.js';
import { getTargetLabel } from '../../config/settings.js';
import { canceledError, Failure, usageError } from '../../failure.js';
import { type Checked, checkRows, invalidRows, rowsOf } from './import/check-rows.js';
import type { ImportFormat } from './import/choices.js';
import { describeTime } from './import/estimate.js';
import type { Journal } from './import/journal.js';
import { type Progress, startProgress } from './import/progress.js';
import { openRejects, type Rejects } from './import/rejects.js';
import type { ReplayableInput } from './import/replayable-input.js';
import { resumeHint } from './import/resume-hint.js';
import { sendRows, type Totals } from './import/send-rows.js';
import { nothingSent, summaryColumns, summaryOf } from './import/summary.js';

export interface ImportOptions {
  readonly format?: ImportFormat;
  readonly concurrency: number;
  readonly journal?: string;
  readonly rejects?: string;
  readonly dryRun?: true;
}

/** Adds the pets that a file describes, each once, however often it is interrupted and run again. */
export async function importPets(
  context: AppContext,
  path: string,
  options: ImportOptions,
): Promise<CommandResult> {
  context.terminal.checkFields(summaryColumns);
  if (options.rejects !== undefined && options.rejects === path) {
    throw usageError('invalid_flag', '--rejects must not be the file that is imported');
  }
  let progress: Progress | undefined;
  const bulk = options.dryRun
    ? undefined
    : await context.connections.openForImport({
        onWait: (until) => progress?.waiting(until) ?? (() => {}),
      });
  const files = await context.files();
  const source = await files.openInput(path);
  try {
    const checked = await checkRows(source, {
      format: options.format,
      notice: context.terminal.notice,
    });
    if (checked.invalid > 0 && options.rejects === undefined) throw invalidRows(checked);
    if (!bulk) {
      context.terminal.notice('nothing was sent (--dry-run)');
      return summaryOf(context, nothingSent(checked), { milliseconds: 0 });
    }
    const journal = await openJournal(context, { files, source, bulk, options }, checked.format);
    try {
      const what = { path, bulk, files, source, checked, journal, options };
      return await run(context, what, (started) => {
        progress = started;
      });
    } finally {
      await journal.close();
    }
  } finally {
    await source.close();
  }
}

interface Import {
  readonly path: string;
  readonly bulk: ImportConnection;
  readonly files: Files;
  readonly source: ReplayableInput;
  readonly checked: Checked;
  readonly journal: Journal;
  readonly options: ImportOptions;
}

async function run(
  context: AppContext,
  { path, bulk, files, source, checked, journal, options }: Import,
  onStart: (progress: Progress) => void,
): Promise<CommandResult> {
  if (journal.isFinished) {
    context.terminal.notice('this file was imported before; --journal NEW imports it again');
  } else {
    await confirm(context, checked, journal);
  }
  const start = context.clock.now();
  const progress = await startProgress(context, checked.rows, bulk.quota);
  onStart(progress);
  let rejects: Rejects | undefined;
  let totals: Totals;
  try {
    rejects = await openRejects(files, options.rejects, journal);
    totals = await sendRows(rowsOf(source, checked.format), {
      client: bulk.client,
      journal,
      concurrency: options.concurrency,
      signal: context.signal,
      total: checked.rows,
      onDone: (so) => progress.done(so.added + so.rejected + so.inDoubt, so.skipped),
    });
    if (!totals.stopped && !journal.isFinished) await journal.finish();
    if (totals.rejected > 0 && !context.signal.aborted) {
      await writing(totals, rejects?.write(source, checked));
    }
  } finally {
    await progress.stop();
    await rejects?.abandon();
  }
  return summaryOf(context, totals, {
    milliseconds: context.clock.now() - start,
    journal: journal.path,
    resume: resumeHint(path, options, context.flags),
  });
}

/** What was added is told, though the rejects cannot be kept. */
async function writing(totals: Totals, work: Promise<void> | undefined): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    totals.stopped ??= error;
  }
}

function openJournal(
  context: AppContext,
  {
    files,
    source,
    bulk: { account },
    options: { journal: path },
  }: Pick<Import, 'files' | 'source' | 'bulk' | 'options'>,
  format: ImportFormat,
): Promise<Journal> {
  return files.openJournal({
    ...(path !== undefined && { path }),
    account,
    source: { name: source.name, digest: source.digest },
    format,
    onChanged: (other) =>
      context.terminal.notice(
        `${source.name} has changed since an import of it was not finished (${other}); this is another one`,
      ),
  });
}

/** On a terminal a person says yes first; a script has said so by running it. */
async function confirm(
  context: AppContext,
  { rows, invalid }: Checked,
  { settled }: Journal,
): Promise<void> {
  if (!context.terminal.prompts.isInteractive) return;
  // After a power cut more rows are settled than were sent.
  const left = Math.max(1, rows - invalid - settled);
  const where = getTargetLabel(context.settings);
  const time = describeTime(left, (await context.quota.lastSeen())?.quota, context.clock.now());
  const what = `${settled > 0 ? 'Go on with' : 'Add'} ${left} ${left === 1 ? 'row' : 'rows'}`;
  const agreed = await context.terminal.prompts.confirm({
    message: `${what} to ${where}?${time === undefined ? '' : ` That takes about ${time}.`}`,
    missingInputMessage: 'pass --yes to import',
  });
  if (!agreed) throw canceledError('nothing was sent');
}
