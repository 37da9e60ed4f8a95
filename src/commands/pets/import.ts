import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { AppContext, Connection } from '../../app/context.js';
import type { Files } from '../../app/files.js';
import type { AtomicFile } from '../../config/files.js';
import { Failure, retryHint, usageError } from '../../failure.js';
import { type CheckedInput, checkAllValid, checkInput, type RejectedRow, writeRejects } from './import/check-rows.js';
import { type Journal, readJournal, startJournal } from './import/journal.js';
import { confirmImport, planImport } from './import/plan.js';
import { splitHint } from './import/read-rows.js';
import { createTotals, type ImportProgress, type ImportTotals, sendRows, startProgress } from './import/send-rows.js';
import { type ImportOptions, summarize } from './import/summary.js';

const maxInputBytes = 256 * 1024 * 1024;

/** Adds the pets of a file. A journal lets later runs resume the import without adding a pet twice. */
export async function importPets(context: AppContext, path: string, options: ImportOptions): Promise<void> {
  const { clock, terminal } = context;
  // Each request that waits listens to the signal. By default, Node.js prints a warning for more than 10.
  setMaxListeners(0, context.signal);
  const files = await context.files();
  const name = path === '-' ? 'standard input' : path;
  if (!options.dryRun) {
    await context.connections.checkWriteAllowed();
    if (path === '-') checkTypedRows(context);
  }
  if (options.rejects !== undefined && files.isSameFile(path, options.rejects)) {
    throw usageError('invalid_flag', '--rejects must not be the imported file', 'pass another file name');
  }
  let progress: ImportProgress | undefined;
  const connection = options.dryRun
    ? undefined
    : await context.connections.open({
        isImport: true,
        onWait: (until) => progress?.startWait(until) ?? (() => {}),
      });
  const bytes = await terminal.readInput(path, maxInputBytes, splitHint);
  const input = await checkInput({ bytes, name, format: options.format }, context);
  checkAllValid(input, options.rejects !== undefined);
  const invalidCount = input.invalid.length;
  const summary = {
    ...{ format: input.format, invalidCount, options },
    input: { name: path, isPipe: files.findPath(path) === undefined },
  };
  if (!connection) {
    terminal.notice('Nothing was sent (--dry-run).');
    const totals = { ...createTotals(), notSent: input.rows.length };
    return summarize(context, { ...summary, totals, durationMs: 0, isDryRun: true, journal: undefined });
  }
  const { rejects: rejectsPath, force = false } = options;
  // Before the question: the file may exist.
  const rejects = rejectsPath === undefined ? undefined : await files.createFile(rejectsPath, { force });
  try {
    const source = { ...input, path, journal: options.journal };
    const opened = await openJournal(context, connection, files, source);
    const start = clock.now();
    const totals = opened ? await send(opened.journal) : createTotals();
    await saveRejects(rejects, input, totals, context);
    await summarize(context, { ...summary, totals, durationMs: clock.now() - start, journal: opened?.path });
  } finally {
    // Unless it was written.
    await rejects?.discard();
  }

  async function send(journal: Journal): Promise<ImportTotals> {
    const { client } = connection as Connection;
    const { rows } = input;
    progress = await startProgress(context, rows.length, connection as Connection);
    try {
      return await sendRows(rows, {
        ...{ client, journal, signal: context.signal, now: clock.now },
        onProgress: ({ notSent }) => progress?.update(rows.length - notSent),
      });
    } finally {
      await progress.stop();
      await journal.close();
    }
  }
}

interface ImportSource extends CheckedInput {
  readonly path: string;
  /** The value of `--journal`. */
  readonly journal: string | undefined;
}

/** Throws a usage error if the user would type the rows: after the end of that input, no prompt is possible. */
function checkTypedRows({ settings, terminal }: AppContext): void {
  if (settings.yes || !terminal.prompts.isInteractive) return;
  const message = 'the import needs confirmation, but standard input is used for the rows';
  throw usageError('missing_input', message, 'pass --yes', { missing: [{ syntax: '--yes' }] });
}

/**
 * Finds the journal of an import, asks, locks it, and asks again if another process has changed the plan meanwhile. Returns
 * undefined if no row is valid.
 */
async function openJournal(
  context: AppContext,
  { client, account, dataId }: Connection,
  { journals, findPath }: Files,
  { rows, digest, name, path: inputPath, journal: named }: ImportSource,
): Promise<{ readonly journal: Journal; readonly path: string } | undefined> {
  if (rows.length === 0) return undefined;
  const { clock, runtime, terminal } = context;
  // An import into the sandbox belongs to its data, which a reset replaces.
  const service = hash('sha256', dataId() ?? `${client.origin}${client.basePath}`, 'hex');
  const identity = { service, path: findPath(inputPath), digest, rows };
  for (;;) {
    const plan = planImport(identity, journals, named);
    const path = await confirmImport(context, plan, name);
    const lock = await journals.lock(path);
    try {
      if (isDeepStrictEqual(planImport(identity, journals, named), plan)) {
        if (plan.left === 0) terminal.notice(nothingLeft);
        const content = readJournal(journals.readLines(path), path);
        const header = {
          service,
          account,
          path: identity.path,
          rows: rows.length,
          digest,
          prefix: runtime.createUuid(),
        };
        const file = await journals.open(path);
        return { path, journal: await startJournal(file, content, { header, lock, now: clock.now }) };
      }
    } catch (error) {
      lock.release();
      throw error;
    }
    lock.release();
    if (!terminal.prompts.isInteractive) {
      throw usageError('missing_input', 'another petstore process imported some of these rows meanwhile', retryHint);
    }
  }
}

const nothingLeft = 'No row is left to add. To add all rows again, pass --journal with a new file name.';

/** Writes the invalid and the rejected rows, if any. */
async function saveRejects(
  file: AtomicFile | undefined,
  input: CheckedInput,
  totals: ImportTotals,
  { signal, terminal }: AppContext,
): Promise<void> {
  const invalid: RejectedRow[] = input.invalid.map(({ problems, ...row }) => ({
    ...row,
    reason: problems.map(({ field, message }) => `${field} ${message}`).join('; '),
  }));
  const rejected = [...invalid, ...totals.rejected];
  if (!file || rejected.length === 0) return;
  if (signal.aborted) {
    terminal.notice('To save the rejected rows, resume the import.');
    return;
  }
  try {
    await writeRejects(file, input, rejected);
    await file.commit();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The summary still has to list the added pets.
    totals.stopReason ??= error;
  }
}
