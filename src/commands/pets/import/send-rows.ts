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

/** The rows of an import by outcome. Those that it does not count were not sent. */
export interface ImportTotals {
  readonly added: number;
  /** Added by an earlier run. */
  readonly skipped: number;
  /** Rejected by the service. */
  readonly rejected: readonly (Row & RejectedRow)[];
  /** Sent, but the response was lost. */
  readonly unknown: readonly Row[];
  /** True if a later run may settle these rows, with their idempotency keys. */
  readonly canSettle?: boolean;
  readonly durationMs: number;
  /** The path of the journal, if rows were to be sent. */
  readonly journal?: string;
  /** Why rows were not sent. */
  readonly stopReason?: Failure | undefined;
}

/** The totals of an import that sends no row. */
export const nothingSent: ImportTotals = { added: 0, skipped: 0, rejected: [], unknown: [], durationMs: 0 };

/** How many rows have an outcome: in all, and from earlier runs. */
export interface ImportProgress {
  processed: number;
  skipped: number;
}

export interface SendRowsOptions {
  readonly client: Client;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The longest wait for the quota. */
  readonly maxWaitMs: number;
  /** Updated before the first row and after each. */
  readonly progress: ImportProgress;
}

interface Run extends SendRowsOptions {
  /** Since the last row that was added. */
  consecutiveUnknown: number;
  /** Stops the import; the first reason counts. An error that is not a failure is a bug. */
  readonly stop: (reason: unknown) => void;
}

/** Sends the rows that were not added, and records each outcome in the journal. */
export async function sendRows(rows: readonly Row[], options: SendRowsOptions): Promise<ImportTotals> {
  const { journal, now, progress } = options;
  const start = now();
  const stopper = new AbortController();
  const signal = AbortSignal.any([options.signal, stopper.signal]);
  const run: Run = { ...options, signal, stop: (reason) => stopper.abort(reason), consecutiveUnknown: 0 };
  const select = (...states: readonly (string | undefined)[]) =>
    rows.filter(({ key }) => states.includes(journal.getRow(key)?.state));
  const skipped = select('added').length;
  progress.skipped = progress.processed = select('added', 'unknown').length;
  await sendAll(select(undefined, 'rejected'), run);
  // Only now, since often the responses to other rows prove that the service honors keys.
  if (!signal.aborted) await settleRows(select('sent'), run).catch(run.stop);
  await journal.sync().catch(run.stop);
  const stopReason = signal.reason;
  if (stopReason !== undefined && !(stopReason instanceof Failure)) throw stopReason;
  return {
    added: select('added').length - skipped,
    skipped,
    rejected: select('rejected').map((row) => ({ ...row, reason: journal.getRow(row.key)?.reason ?? '' })),
    unknown: select('sent', 'unknown'),
    canSettle: select('unknown').length === 0,
    durationMs: now() - start,
    journal: journal.path,
    stopReason,
  };
}

/** The maximum number of rows in flight. While some of them wait for the disk, the others keep the service busy. */
const maxInFlight = 24;

/** Sends several rows at once. Each lane finishes its row even if another one fails, so that its outcome is recorded. */
async function sendAll(rows: readonly Row[], run: Run): Promise<void> {
  const iterator = rows.values();
  const work = async () => {
    while (!run.signal.aborted) {
      const { done, value: row } = iterator.next();
      if (done) return;
      await sendRow(row, run).catch(run.stop);
      run.progress.processed += 1;
    }
  };
  await Promise.all(Array.from({ length: maxInFlight }, work));
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
  const options = { observe: announce, idempotencyKey: `${journal.prefix}-${key}` };
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
    void run.journal.record({ rejected: row.key, reason: `${details.code}: ${details.message}` });
  }
  // Else the error may come from a proxy, and says nothing about the earlier request with the same key.
}

/** Shows how many rows were processed, and how long the other rows take. */
export function startProgress(
  { clock, settings, terminal }: AppContext,
  total: number,
  progress: ImportProgress,
  quotaState: Connection['quotaState'],
) {
  const start = clock.now();
  return terminal.startProgress(async (waitEnd = 0) => {
    const { windows } = await quotaState();
    const { processed, skipped } = progress;
    const now = clock.now();
    const left = total - processed;
    const { timeMs, maxRows } = forecast(left, windows, { now, maxWaitMs: settings.maxWaitMs });
    // The first rows take longer than others: a single request shows the quota.
    const done = processed - skipped;
    const measuredMs = done < maxInFlight ? 0 : (left * (now - start)) / done;
    // Waits for the quota lie ahead, so the rate so far would contradict them.
    const leftMs = Math.max(timeMs, waitEnd - now) || measuredMs;
    const { filled, empty } = drawBar(processed / total, 10);
    return [
      ...(terminal.hasProgress ? [`${filled}${empty}`] : []),
      `${formatNumber(processed)} of ${formatCount(total, 'row')}`,
      ...(leftMs > 0 && left <= maxRows ? [`${formatDuration(leftMs)} left`] : []),
    ].join(' · ');
  });
}
