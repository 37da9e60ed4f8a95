import { createPet } from '../../../api/operations.js';
import type { Connection } from '../../../app/connections.js';
import type { AppContext } from '../../../app/context.js';
import type { Client } from '../../../client/client.js';
import type { Middleware } from '../../../client/middleware.js';
import { Failure } from '../../../failure.js';
import { drawBar } from '../../../format/bar.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { forecast } from '../../../quota/forecast.js';
import { isKeyStored } from '../../../quota/idempotency-support.js';
import { sendMinimalRequest } from '../../send-minimal-request.js';
import type { RejectedRow, Row } from './check-rows.js';
import type { Journal } from './journal.js';

/** The rows of an import by outcome. */
export interface ImportTotals {
  readonly added: number;
  /** Added by an earlier run. */
  readonly skipped: number;
  /** Rejected by the service in this run. */
  readonly rejected: readonly (Row & RejectedRow)[];
  /** Sent, but the response was lost. */
  readonly unknown: readonly Row[];
  /** True if a later run may settle these rows, with their idempotency keys. */
  readonly canSettle: boolean;
  readonly notSent: number;
  readonly durationMs: number;
  /** Why rows were not sent. */
  readonly stopReason?: Failure | undefined;
}

/** Returns the totals of an import that sends no row. */
export function nothingSent({ length }: readonly Row[]): ImportTotals {
  return { added: 0, skipped: 0, rejected: [], unknown: [], canSettle: false, notSent: length, durationMs: 0 };
}

export interface SendRowsOptions {
  readonly client: Client;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The longest wait for the quota. */
  readonly maxWaitMs: number;
  /** Called with the number of rows that were processed, before the first row and after each. */
  readonly onProgress: (processed: number) => void;
}

interface Run extends SendRowsOptions {
  readonly rejected: (Row & RejectedRow)[];
  /** Since the last row that was added. */
  consecutiveUnknown: number;
  stopReason: Failure | undefined;
}

/** Sends the rows that were not added, and records each outcome in the journal. */
export async function sendRows(rows: readonly Row[], options: SendRowsOptions): Promise<ImportTotals> {
  const { journal, signal, now, onProgress } = options;
  const start = now();
  const run: Run = { ...options, rejected: [], consecutiveUnknown: 0, stopReason: undefined };
  const select = (...states: readonly (string | undefined)[]) =>
    rows.filter(({ key }) => states.includes(journal.getRow(key)?.state));
  const skipped = select('added').length;
  const left = select(undefined, 'rejected');
  let processed = rows.length - left.length;
  onProgress(processed);
  await sendAll(left, run, () => {
    processed += 1;
    onProgress(processed);
  });
  // Only now, since often the responses to other rows prove that the service honors keys.
  if (!isStopped(run)) await settleRows(select('sent'), run).catch((error) => stop(run, error));
  await journal.sync().catch((error) => stop(run, error));
  const added = select('added').length - skipped;
  const unknown = select('sent', 'unknown');
  return {
    added,
    skipped,
    rejected: run.rejected.toSorted((one, other) => one.number - other.number),
    unknown,
    canSettle: select('unknown').length === 0,
    notSent: rows.length - skipped - added - run.rejected.length - unknown.length,
    durationMs: now() - start,
    stopReason: signal.aborted ? (signal.reason as Failure) : run.stopReason,
  };
}

function isStopped({ stopReason, signal }: Run): boolean {
  return stopReason !== undefined || signal.aborted;
}

/** Stops an import. Throws errors that are bugs. */
function stop(run: Run, error: unknown): void {
  if (!(error instanceof Failure)) throw error;
  run.stopReason ??= error;
}

/** The maximum number of rows in flight. While some of them wait for the disk, the others keep the service busy. */
const maxInFlight = 24;

/** Sends several rows at once. Each lane finishes its row even if another one fails, so that its outcome is recorded. */
async function sendAll(rows: readonly Row[], run: Run, onDone = () => {}): Promise<void> {
  const iterator = rows.values();
  const work = async () => {
    while (!isStopped(run)) {
      const { done, value: row } = iterator.next();
      if (done) return;
      await sendRow(row, run).catch((error) => stop(run, error));
      onDone();
    }
  };
  const results = await Promise.allSettled(Array.from({ length: maxInFlight }, work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Settles rows without an outcome: sends those again whose keys the service still stores. The others stay unknown. */
async function settleRows(rows: readonly Row[], run: Run): Promise<void> {
  if (rows.length === 0) return;
  const { client, journal, now } = run;
  if (!(await client.idempotency.findSupport())) {
    // Any response can prove that the service honors keys.
    const { failure } = await sendMinimalRequest(client);
    if (failure) throw failure;
  }
  const support = await client.idempotency.findSupport();
  const stored: Row[] = [];
  for (const row of rows) {
    const { account, sentAt = Number.NaN } = journal.getRow(row.key) ?? {};
    // A service honors a key only for the API key that sent it first. The row may have to wait for the quota.
    if (support && account === journal.account && isKeyStored(support, now() - sentAt + run.maxWaitMs))
      stored.push(row);
    else void journal.record({ unknown: row.key });
  }
  await sendAll(stored, run);
}

/** Sends a row. Throws a failure that stops the import. */
async function sendRow(row: Row, run: Run): Promise<void> {
  const { client, journal, now } = run;
  const { key, name, categoryId, status } = row;
  const wasSent = journal.getRow(key)?.state === 'sent';
  let mayBeAdded = wasSent;
  const announce: Middleware = (next) => async (request, signal) => {
    await journal.record({ sent: key, at: now() });
    const outcome = await next(request, signal);
    mayBeAdded ||= outcome.effect !== 'none';
    // The next attempt may have to wait for the quota, and the process may be killed meanwhile.
    if (!mayBeAdded) void journal.record({ unsent: key });
    return outcome;
  };
  const options = { observe: announce, idempotencyKey: journal.getIdempotencyKey(key) };
  try {
    await client.call(createPet, { name, categoryId, ...(status && { status }) }, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.details.effect !== 'made') return recordFailure(row, error, wasSent, run);
  }
  run.consecutiveUnknown = 0;
  void journal.record({ added: key });
}

/** Statuses that concern one row; any other 4xx would reject all rows. */
const rowStatuses = [400, 409, 413, 422];

/** The number of consecutive unknown outcomes that stops the import, since the service is probably failing. */
const maxConsecutiveUnknown = 16;

function recordFailure(row: Row, failure: Failure, wasSent: boolean, run: Run): void {
  const { kind, details } = failure;
  const { effect, status = 0 } = details;
  if (effect === 'unknown') {
    run.consecutiveUnknown += 1;
    if (run.consecutiveUnknown >= maxConsecutiveUnknown) throw failure;
  } else if (kind !== 'rejected' || !rowStatuses.includes(status)) {
    throw failure;
  } else if (!wasSent || details.isContentError) {
    void run.journal.record({ rejected: row.key });
    run.rejected.push({ ...row, reason: `${details.code}: ${details.message}` });
  }
  // Else the error may come from a proxy, and says nothing about the earlier request with the same key.
}

/** Shows how many rows were processed, and how long the other rows take. */
export function startProgress(
  { clock, settings, terminal }: AppContext,
  total: number,
  quotaState: Connection['quotaState'],
) {
  const start = clock.now();
  let processed = 0;
  let skipped: number | undefined;
  const describe = async (waitEnd = 0) => {
    const { windows } = await quotaState();
    const now = clock.now();
    const left = total - processed;
    const { timeMs, maxRows } = forecast(left, windows, { now, maxWaitMs: settings.maxWaitMs });
    const done = processed - (skipped ?? 0);
    // The first rows take longer than others: a single request shows the quota.
    const measuredMs = done < maxInFlight ? 0 : (left * (now - start)) / done;
    // Waits for the quota lie ahead, so the rate so far would contradict them.
    const leftMs = Math.max(timeMs, waitEnd - now) || measuredMs;
    const { filled, empty } = drawBar(processed / total, 10);
    return [
      ...(terminal.hasProgress ? [`${filled}${empty}`] : []),
      `${formatNumber(processed)} of ${formatCount(total, 'row')}`,
      ...(leftMs > 0 && left <= maxRows ? [`${formatDuration(leftMs)} left`] : []),
    ].join(' · ');
  };
  return {
    ...terminal.startProgress(describe),
    /** Sets how many rows have an outcome. Call it first with those of earlier runs. */
    update: (count: number) => {
      processed = count;
      skipped ??= count;
    },
  };
}
