import { createPet } from '../../../api/operations.js';
import type { AppContext, Connection } from '../../../app/context.js';
import type { Client } from '../../../client/client.js';
import type { Middleware } from '../../../client/middleware.js';
import { getTargetLabel } from '../../../config/settings.js';
import { Failure } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { formatExactNumber } from '../../../format/json.js';
import { toSafeText } from '../../../format/safe-text.js';
import { forecast } from '../../../quota/forecast.js';
import { isKeyStored } from '../../../quota/idempotency-support.js';
import { sendMinimalRequest } from '../../send-minimal-request.js';
import type { RejectedRow } from './check-rows.js';
import type { Journal } from './journal.js';
import type { Row } from './read-rows.js';

/** The rows of an import by outcome. */
export interface ImportTotals {
  added: number;
  /** Added by an earlier run. */
  skipped: number;
  /** Rejected by the service in this run. */
  rejected: (Row & RejectedRow)[];
  /** Sent, but the response was lost. */
  unknown: Row[];
  /** True if another run settles these rows, with their idempotency keys. */
  canSettle: boolean;
  notSent: number;
  /** Why rows were not sent. */
  stopReason: Failure | undefined;
}

export function createTotals(): ImportTotals {
  return { added: 0, skipped: 0, rejected: [], unknown: [], canSettle: false, notSent: 0, stopReason: undefined };
}

export interface SendRowsOptions {
  readonly client: Client;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Called before the first row and after each. */
  readonly onProgress: (totals: ImportTotals) => void;
}

/** Sends the rows that were not added, and records each outcome in the journal. */
export async function sendRows(rows: readonly Row[], options: SendRowsOptions): Promise<ImportTotals> {
  const { journal, signal } = options;
  const totals = createTotals();
  const run: Run = { ...options, totals, unsettled: new Set(), consecutiveUnknown: 0, isAnswered: false };
  const fresh: Row[] = [];
  for (const row of rows) {
    const known = journal.getRow(row.key);
    if (known?.state === 'added') totals.skipped += 1;
    else if (known?.state === 'sent' && journal.isOwn(known)) run.unsettled.add(row);
    else if (known?.state === 'sent' || known?.state === 'unknown') addUnknown(row, run);
    else fresh.push(row);
  }
  totals.notSent = fresh.length;
  options.onProgress(totals);
  await sendAll(fresh, run);
  // Often only the responses to other rows prove that the service honors keys.
  if (run.unsettled.size > 0 && !isStopped(run)) await settleRows(run);
  if (signal.aborted) totals.stopReason ??= signal.reason as Failure;
  await listUnsettled(run);
  return totals;
}

interface Run extends SendRowsOptions {
  readonly totals: ImportTotals;
  /** Rows that were sent, and whose outcome another request may settle. */
  readonly unsettled: Set<Row>;
  /** Since the last row that was added. */
  consecutiveUnknown: number;
  /** True if a response has shown whether the service honors keys. */
  isAnswered: boolean;
}

function isStopped({ totals, signal }: Run): boolean {
  return totals.stopReason !== undefined || signal.aborted;
}

/**
 * The maximum number of rows that are sent at once. While some of them wait for the disk, the others keep the service busy.
 */
const maxInFlight = 24;

/** Sends several rows at once. Each lane finishes its row even if another one fails, so that its outcome is recorded. */
async function sendAll(rows: readonly Row[], run: Run): Promise<void> {
  const iterator = rows.values();
  const work = async () => {
    while (!isStopped(run)) {
      const { done, value: row } = iterator.next();
      if (done) return;
      await sendRow(row, run);
      run.onProgress(run.totals);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: maxInFlight }, work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Sends rows again whose keys the service still stores. */
async function settleRows(run: Run): Promise<void> {
  const isKnown = run.totals.added > 0 || (await run.client.idempotency.findSupport()) !== undefined;
  // Any response can contain the proof that the service honors keys.
  run.isAnswered =
    isKnown ||
    (await sendMinimalRequest(run.client).then(
      () => true,
      () => false,
    ));
  await sendAll(await findStored(run), run);
}

async function findStored({ client, journal, now, unsettled }: Run): Promise<readonly Row[]> {
  const support = await client.idempotency.findSupport();
  if (!support) return [];
  return [...unsettled].filter(({ key }) => isKeyStored(support, now() - (journal.getRow(key)?.sentAt ?? Number.NaN)));
}

/** Lists a row that is never sent again. */
function addUnknown(row: Row, { totals, journal }: Run): void {
  totals.unknown.push(row);
  if (journal.getRow(row.key)?.state === 'sent') journal.markUnknown(row.key);
}

/** Lists the rows without an outcome. A later run settles those whose keys the service stores, or may store. */
async function listUnsettled(run: Run): Promise<void> {
  const { unsettled, totals, isAnswered } = run;
  const stored = new Set(await findStored(run));
  // The service stores idempotency keys per API key, and has rejected this one.
  totals.canSettle =
    totals.unknown.length === 0 && stored.size === unsettled.size && totals.stopReason?.kind !== 'auth';
  for (const row of unsettled) {
    if (isAnswered && !totals.stopReason && !stored.has(row)) addUnknown(row, run);
    else totals.unknown.push(row);
  }
  totals.unknown.sort((one, other) => one.number - other.number);
}

/** Sends a row. One that was sent before is sent with the same key, and without a response stays unsettled. */
async function sendRow(row: Row, run: Run): Promise<void> {
  const { client, journal, totals } = run;
  const wasSent = run.unsettled.has(row);
  let mayBeAdded = wasSent;
  const observe: Middleware = (next) => async (request, signal) => {
    await journal.markSent(row.key);
    const outcome = await next(request, signal);
    mayBeAdded ||= outcome.effect !== 'none';
    if (!mayBeAdded) journal.markUnsent(row.key);
    return outcome;
  };
  const { name, categoryId, status } = row;
  const pet = { name, categoryId, ...(status && { status }) };
  const idempotencyKey = journal.getIdempotencyKey(row.key);
  const result = await client.call(createPet, pet, { observe, idempotencyKey }).then(
    ({ value }) => formatExactNumber(value.id) ?? missingId,
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return error.details.effect === 'made' ? missingId : error;
    },
  );
  try {
    if (typeof result === 'string') recordAdded(row, result, run);
    else recordFailure(row, result, run);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The journal lists the row as sent, so that later runs send it only with the same key.
    totals.stopReason ??= error;
  }
}

/** Written to the journal if the response did not contain an id. */
const missingId = '?';

function recordAdded(row: Row, id: string, run: Run): void {
  const { totals, unsettled, journal } = run;
  totals.added += 1;
  if (!unsettled.delete(row)) totals.notSent -= 1;
  run.consecutiveUnknown = 0;
  journal.markAdded(row.key, id);
}

/** Statuses that concern one row; any other 4xx would reject all rows. */
const rowStatuses = [400, 409, 413, 422];

/** The number of consecutive unknown outcomes that stops the import, since the service is probably failing. */
const maxConsecutiveUnknown = 16;

function recordFailure(row: Row, failure: Failure, run: Run): void {
  const { totals, unsettled, journal } = run;
  const { kind, details } = failure;
  const wasSent = unsettled.has(row);
  const isRejection = kind === 'rejected' && rowStatuses.includes(details.status ?? 0);
  // An error in another format may come from a proxy, and says nothing about an earlier request with the same key.
  const isRejected = isRejection && (!wasSent || details.isContentError === true);
  const isUnknown = details.effect === 'unknown';
  if ((isRejected || isUnknown) && !wasSent) totals.notSent -= 1;
  if (isUnknown) {
    unsettled.add(row);
    run.consecutiveUnknown += 1;
  }
  const isFailing = run.consecutiveUnknown >= maxConsecutiveUnknown || kind === 'canceled';
  if (isUnknown ? isFailing : !isRejection) totals.stopReason ??= failure;
  if (!isRejected) return;
  const reason = `${details.code}: ${details.message}`;
  unsettled.delete(row);
  totals.rejected.push({ ...row, reason });
  journal.markRejected(row.key, reason);
}

export type ImportProgress = Awaited<ReturnType<typeof startProgress>>;

/**
 * Draws a progress bar. If stderr cannot be redrawn, prints a line every ten seconds instead. In screen-reader mode, also
 * prints a line at once.
 */
export async function startProgress(context: AppContext, total: number, { quotaState }: Connection) {
  const { clock, settings, terminal } = context;
  const bar = await terminal.progressBar(total);
  if (settings.accessible) {
    terminal.notice(`Importing ${formatCount(total, 'row')} into ${getTargetLabel(settings)}.`);
  }
  const start = clock.now();
  const stopped = new AbortController();
  let processed = 0;
  let earlier: number | undefined;
  let waits = 0;
  let waitUntil = 0;
  const describe = async () => {
    const now = clock.now();
    const { windows } = await quotaState();
    const left = total - processed;
    const { timeMs, maxRows } = forecast(left, windows, { now, maxWaitMs: settings.maxWaitMs });
    const rate = (processed - (earlier ?? processed)) / Math.max(0.001, (now - start) / 1000);
    const remaining = Math.min(...windows.filter(({ endsAt }) => endsAt > now).map((window) => window.remaining));
    const parts: string[] = [];
    if (waits > 0) parts.push(`waiting ${formatDuration(waitUntil - now)} for the quota`);
    // Waits lie ahead, so the rate so far would contradict the time left.
    else if (timeMs === 0 && rate > 0) parts.push(`${rate.toFixed(rate < 10 ? 1 : 0)} rows/s`);
    const leftMs = timeMs > 0 ? timeMs : (left / rate) * 1000;
    if (left > 0 && left <= maxRows && Number.isFinite(leftMs)) parts.push(`${formatDuration(leftMs)} left`);
    if (Number.isFinite(remaining)) parts.push(`${formatNumber(Math.max(0, remaining))} requests left`);
    return parts.map((part) => toSafeText(part));
  };
  const show = async () => {
    for (;;) {
      await clock.sleep(bar.isVisible ? 250 : 10_000, stopped.signal);
      const parts = await describe();
      if (stopped.signal.aborted) return;
      if (bar.isVisible) bar.update(processed, parts, waits > 0);
      else terminal.notice([`${formatNumber(processed)} of ${formatCount(total, 'row')}`, ...parts].join(' · '));
    }
  };
  const showing = show().catch(() => {});
  return {
    /** Sets how many rows have an outcome. Call it first with those of earlier runs. */
    update: (count: number) => {
      processed = count;
      earlier ??= count;
    },
    /** Shows a wait for the quota; returns a function that ends it. */
    startWait: (until: number) => {
      waits += 1;
      waitUntil = Math.max(until, waitUntil);
      return () => {
        waits -= 1;
        if (waits === 0) waitUntil = 0;
      };
    },
    stop: async () => {
      stopped.abort();
      await showing;
      bar.stop();
    },
  };
}
