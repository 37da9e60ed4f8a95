import { hash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '../../app/connections.js';
import type { AppContext } from '../../app/context.js';
import { checkWriteAllowed } from '../../app/read-only.js';
import { retryHint, usageError } from '../../failure.js';
import { type CheckedInput, checkAllValid, checkInput, formatRejects } from './import/check-rows.js';
import { createJournal, type Journal, startJournal } from './import/journal.js';
import { confirmImport, planImport } from './import/plan.js';
import { decodeInput, splitHint } from './import/read-rows.js';
import { nothingSent, sendRows, startProgress } from './import/send-rows.js';
import { type ImportOptions, summarize } from './import/summary.js';

const maxInputBytes = 256 * 1024 * 1024;

/** Adds the pets of a file. A journal lets later runs resume the import without adding a pet twice. */
export async function importPets(context: AppContext, path: string, options: ImportOptions): Promise<void> {
  const work = runImport(context, path, options);
  // After a signal, the summary must say what became of the rows.
  context.runtime.holdEnd(work);
  await work;
}

async function runImport(context: AppContext, path: string, options: ImportOptions): Promise<void> {
  const { terminal } = context;
  const { dryRun = false, force = false, rejects: rejectsPath } = options;
  if (!dryRun) checkWriteAllowed(context.settings);
  const files = await context.files();
  if (rejectsPath !== undefined && files.isSameFile(path, rejectsPath)) {
    throw usageError('invalid_flag', '--rejects must not be the imported file', 'pass another file name');
  }
  const bytes = await terminal.readInput(path, maxInputBytes, splitHint);
  const name = path === '-' ? 'standard input' : path;
  const input = await checkInput(decodeInput(bytes, name, options.format), context);
  if (rejectsPath === undefined) checkAllValid(input);
  if (dryRun) terminal.notice('Nothing was sent (--dry-run).');
  // Before the question: the file may exist.
  const rejects = rejectsPath === undefined || dryRun ? undefined : await files.createFile(rejectsPath, { force });
  try {
    const isSent = !dryRun && input.rows.length > 0;
    const totals = isSent ? await addRows(context, input, path, options.journal) : nothingSent;
    const rejected = [...input.invalid, ...totals.rejected];
    if (rejects && rejected.length > 0) {
      for (const text of formatRejects(input, rejected)) await rejects.write(text);
      await rejects.commit();
    }
    await summarize(context, { totals, input, options, path: files.findPath(path) && path });
  } finally {
    // Unless it was written.
    await rejects?.discard();
  }
}

async function addRows(context: AppContext, input: CheckedInput, path: string, named: string | undefined) {
  const { clock, settings, signal } = context;
  // Each request that waits listens to the signal. By default, Node.js prints a warning for more than 10.
  setMaxListeners(0, signal);
  const connection = await context.connect({ isImport: true });
  const { client, quotaState } = connection;
  const journal = await openJournal(context, connection, input, { path, named });
  const progress = { skipped: 0, processed: 0 };
  const shown = startProgress(context, input.rows.length, progress, quotaState);
  try {
    const { maxWaitMs } = settings;
    return await sendRows(input.rows, { client, journal, signal, now: clock.now, maxWaitMs, progress });
  } finally {
    await shown.stop();
    journal.close();
  }
}

/** Plans an import, asks, locks its journal, and asks again if another process has changed the plan meanwhile. */
async function openJournal(
  context: AppContext,
  connection: Connection,
  { rows, digest }: CheckedInput,
  { path: inputPath, named }: { readonly path: string; readonly named: string | undefined },
): Promise<Journal> {
  const { clock, runtime, terminal } = context;
  const { journals, findPath } = await context.files();
  const { client, account, dataId } = connection;
  // An import into the sandbox belongs to its data, which a reset replaces.
  const service = hash('sha256', (await dataId()) ?? `${client.origin}${client.basePath}`, 'hex');
  const identity = { service, account, path: findPath(inputPath), digest };
  for (;;) {
    const asked = planImport(identity, rows, journals, named);
    const path = await confirmImport(context, connection, asked, inputPath);
    const lock = await journals.lock(path);
    let started: Journal | undefined;
    try {
      const plan = planImport(identity, rows, journals, named);
      const { journal } = plan;
      if (journal.path === asked.journal.path && isDeepStrictEqual({ ...asked, journal }, plan)) {
        if (path === journal.path && plan.left === 0) terminal.notice(nothingLeft);
        const content = path === journal.path ? journal : createJournal(path);
        const header = { ...identity, prefix: runtime.createUuid(), at: clock.now() };
        started = await startJournal(await journals.open(path, content.size), content, header, lock);
        return started;
      }
    } finally {
      if (!started) lock.release();
    }
    if (terminal.prompts.isInteractive) continue;
    throw usageError('missing_input', 'another petstore process imported some of these rows meanwhile', retryHint);
  }
}

const nothingLeft = 'No row is left to add. To add all rows again, pass --journal with a new file name.';
