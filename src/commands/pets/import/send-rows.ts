import { createPet } from '../../../api/operations.js';
import type { NewPet } from '../../../api/pet.js';
import type { Client } from '../../../client/client.js';
import type { Middleware } from '../../../client/middleware.js';
import { Failure } from '../../../failure.js';
import { formatExactNumber } from '../../../format/json.js';
import { sendMinimalRequest } from '../../send-minimal-request.js';
import type { Journal } from './journal.js';
import type { Row } from './read-rows.js';

/** The number of rows of an import by outcome. */
export type ImportTotals = ReturnType<typeof createTotals>;

export function createTotals() {
  return {
    added: 0,
    /** Added by an earlier run. */
    skipped: 0,
    /** Invalid, or rejected by the service. */
    rejected: 0,
    /** Rejected by the service, in this run or an earlier one. */
    rejectedByService: 0,
    /** The first of these rows. */
    rejectedRows: [] as (Pick<Row, 'number' | 'line' | 'position' | 'pet'> & { readonly reason: string })[],
    /** Sent, but the response was lost. */
    unknown: 0,
    /** The first of these rows. */
    unknownRows: [] as Row[],
    /** Since the last row that was added. */
    consecutiveUnknown: 0,
    notSent: 0,
    /** Why rows were not sent. */
    stopReason: undefined as Failure | undefined,
  };
}

export interface SendRowsOptions {
  readonly client: Client;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly rowCount: number;
  /** Called after each row. */
  readonly onProgress: (totals: ImportTotals) => void;
}

/** Sends the rows without a known outcome, and records each outcome in the journal. */
export async function sendRows(rows: AsyncGenerator<Row>, options: SendRowsOptions): Promise<ImportTotals> {
  const totals = createTotals();
  const failure = await processAll(rows, totals, options);
  if (!failure) {
    await settleUnknownRows(totals, options);
    return totals;
  }
  // Reading stopped: the import was canceled, or its file has changed.
  totals.stopReason ??= failure;
  const { added, skipped, rejected, unknown } = totals;
  totals.notSent = options.rowCount - added - skipped - rejected - unknown;
  return totals;
}

/** The maximum number of requests in flight. */
const maxInFlight = 8;

/** Processes several rows at once. Returns the failure that stopped the reading of rows. */
async function processAll(
  rows: Pick<AsyncGenerator<Row> | ArrayIterator<Row>, 'next'>,
  totals: ImportTotals,
  options: SendRowsOptions,
): Promise<Failure | undefined> {
  let hasFailed = false;
  // After an error the other workers finish their row, so that its outcome is recorded.
  const work = async () => {
    try {
      while (!hasFailed) {
        const { done, value: row } = await rows.next();
        if (done) return;
        await processRow(row, totals, options);
        options.onProgress(totals);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: maxInFlight }, work));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return undefined;
  if (!(failed.reason instanceof Failure)) throw failed.reason;
  return failed.reason;
}

/**
 * Sends rows without a known outcome again, if the service still stores their keys. Often only the responses to later
 * rows prove that it honors keys.
 */
async function settleUnknownRows(totals: ImportTotals, options: SendRowsOptions): Promise<void> {
  const { client, signal } = options;
  if (totals.unknown === 0 || totals.stopReason || signal.aborted) return;
  const hasProof = totals.added > 0 || (await client.idempotency.findSupport()) !== undefined;
  // Any response can contain the proof. Without one, the outcomes stay unknown.
  if (!hasProof) await sendMinimalRequest(client).catch(() => {});
  const rows = totals.unknownRows.splice(0);
  totals.unknown -= rows.length;
  await processAll(rows.values(), totals, options);
}

/** Returns whether another run would send the rows without a known outcome again. */
export async function canSendAgain(
  { unknownRows, stopReason }: ImportTotals,
  client: Client,
  journal: Pick<Journal, 'isKeyStored'>,
): Promise<boolean> {
  // The service stores idempotency keys per API key, and has rejected this API key.
  if (stopReason?.details.status === 401) return false;
  const support = unknownRows.length > 0 ? await client.idempotency.findSupport() : undefined;
  return support !== undefined && unknownRows.every(({ number }) => journal.isKeyStored(number, support.lifetimeMs));
}

async function isKeyStored({ number }: Row, { client, journal }: SendRowsOptions): Promise<boolean> {
  const support = await client.idempotency.findSupport();
  return support !== undefined && journal.isKeyStored(number, support.lifetimeMs);
}

async function processRow(row: Row, totals: ImportTotals, options: SendRowsOptions): Promise<void> {
  const { journal, signal } = options;
  const state = journal.getState(row.number);
  if (!row.pet) totals.rejected += 1;
  else if (state === 'rejected') countRejected(row, journal.getRejectReason(row.number) ?? '', totals);
  else if (state === 'added') totals.skipped += 1;
  else {
    if (signal.aborted) totals.stopReason ??= signal.reason as Failure;
    const isSent = state === 'sent';
    const canSend = !totals.stopReason && (isSent ? await isKeyStored(row, options) : !journal.isFinished);
    if (canSend) await sendRow(row, row.pet, totals, options);
    else if (isSent) countUnknown(row, totals);
    else totals.notSent += 1;
  }
}

/** Sends a row. One that was sent before is sent with the same key, and without a response stays unknown. */
async function sendRow(
  row: Row,
  pet: NewPet,
  totals: ImportTotals,
  { client, journal }: SendRowsOptions,
): Promise<void> {
  const wasSent = journal.getState(row.number) === 'sent';
  let mayBeAdded = wasSent;
  const observe: Middleware = (next) => async (request, signal) => {
    await journal.markSent(row.number);
    const outcome = await next(request, signal);
    mayBeAdded ||= outcome.effect !== 'none';
    if (!mayBeAdded) journal.markNotSent(row.number);
    return outcome;
  };
  const idempotencyKey = journal.getIdempotencyKey(row.number);
  const result = await client.call(createPet, pet, { observe, idempotencyKey }).then(
    ({ value }) => formatExactNumber(value.id) ?? missingId,
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return error.details.effect === 'made' ? missingId : error;
    },
  );
  try {
    recordResult(row, result, wasSent, totals, journal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The journal lists the row as sent, so that later runs send it only with the same key.
    totals.stopReason ??= error;
  }
}

/** Written to the journal if the response did not contain an id. */
const missingId = '?';

/** Statuses that concern one row; any other 4xx would reject all rows. */
const rowStatuses = [400, 409, 413, 422];

/** The number of consecutive unknown outcomes that stops the import, since the service is probably failing. */
const maxConsecutiveUnknown = 5;

function recordResult(
  row: Row,
  result: string | Failure,
  wasSent: boolean,
  totals: ImportTotals,
  journal: Journal,
): void {
  if (typeof result === 'string') {
    totals.added += 1;
    totals.consecutiveUnknown = 0;
    journal.markAdded(row.number, result);
    return;
  }
  const { kind, details } = result;
  const isRejected = kind === 'rejected' && rowStatuses.includes(details.status ?? 0);
  // A 409 may mean that the service is working on the earlier request. An error in another format may come from a proxy.
  const mayBeStored = isRejected && wasSent && !details.isContentError;
  if (isRejected && !mayBeStored) {
    const reason = `${details.code}: ${details.message}`;
    countRejected(row, reason, totals);
    journal.markRejected(row.number, reason);
  } else if (mayBeStored || details.effect === 'unknown') {
    countUnknown(row, totals);
    totals.consecutiveUnknown += 1;
    const isLast = kind === 'canceled' || totals.consecutiveUnknown >= maxConsecutiveUnknown;
    if (isLast) totals.stopReason ??= result;
  } else {
    totals.stopReason ??= result;
    if (wasSent) countUnknown(row, totals);
    else totals.notSent += 1;
  }
}

const maxListedRows = 1_000;

function countRejected({ number, line, position, pet }: Row, reason: string, totals: ImportTotals): void {
  totals.rejected += 1;
  totals.rejectedByService += 1;
  if (totals.rejectedRows.length < maxListedRows) {
    totals.rejectedRows.push({ number, line, position, reason, ...(pet && { pet }) });
  }
}

function countUnknown(row: Row, totals: ImportTotals): void {
  totals.unknown += 1;
  if (totals.unknownRows.length < maxListedRows) totals.unknownRows.push(row);
}
