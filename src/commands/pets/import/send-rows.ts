import { createPet } from '../../../api/operations.js';
import type { NewPet } from '../../../api/pet.js';
import type { Client } from '../../../client/client.js';
import { Failure } from '../../../failure.js';
import { formatExactNumber } from '../../../format/json.js';
import type { Journal } from './journal.js';
import type { Row } from './read-rows.js';

/** The number of rows of an import by outcome. */
export interface ImportTotals {
  added: number;
  /** Added by an earlier run. */
  skipped: number;
  rejected: number;
  /** Sent, but the response was lost. */
  unknown: number;
  /** The first rows of those. */
  readonly unknownRows: Pick<Row, 'line' | 'pet'>[];
  /** Since the last row that was added. */
  consecutiveUnknown: number;
  notSent: number;
  /** Why rows were not sent. */
  stopReason?: Failure;
}

export function createTotals(): ImportTotals {
  return {
    added: 0,
    skipped: 0,
    rejected: 0,
    unknown: 0,
    unknownRows: [],
    consecutiveUnknown: 0,
    notSent: 0,
  };
}

export interface SendRowsOptions {
  readonly client: Client;
  readonly journal: Journal;
  /** The maximum number of requests in flight. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly rowCount: number;
  /** Called after each row. */
  readonly onProgress: (totals: ImportTotals) => void;
}

/** Sends the rows that no earlier run sent, and records each outcome in the journal. */
export async function sendRows(
  rows: AsyncGenerator<Row>,
  options: SendRowsOptions,
): Promise<ImportTotals> {
  const totals = createTotals();
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
  const results = await Promise.allSettled(Array.from({ length: options.concurrency }, work));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return totals;
  if (!(failed.reason instanceof Failure)) throw failed.reason;
  // Reading stopped: the import was canceled, or its file has changed.
  totals.stopReason ??= failed.reason;
  const { added, skipped, rejected, unknown } = totals;
  totals.notSent = options.rowCount - added - skipped - rejected - unknown;
  return totals;
}

async function processRow(row: Row, totals: ImportTotals, options: SendRowsOptions): Promise<void> {
  const { journal, signal } = options;
  const state = journal.getState(row.number);
  if (!row.pet || state === 'rejected') totals.rejected += 1;
  else if (state === 'added') totals.skipped += 1;
  else if (state === 'sent') countUnknown(row, totals);
  else {
    if (signal.aborted) totals.stopReason ??= signal.reason as Failure;
    if (totals.stopReason || journal.isFinished) totals.notSent += 1;
    else await sendRow(row, row.pet, totals, options);
  }
}

async function sendRow(
  row: Row,
  pet: NewPet,
  totals: ImportTotals,
  { client, journal }: SendRowsOptions,
): Promise<void> {
  let isSent = false;
  const observer = {
    beforeSend: async () => {
      await journal.markSent(row.number);
      isSent = true;
    },
    beforeRetry: () => {
      isSent = false;
      journal.markNotSent(row.number);
    },
  };
  const outcome = await client.call(createPet, pet, observer).then(
    ({ value }): Outcome => ({ kind: 'added', id: formatExactNumber(value.id) ?? missingId }),
    (error: unknown) => classifyError(error, isSent),
  );
  try {
    recordOutcome(row, outcome, isSent, totals, journal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The journal has the row as sent, so that no later run sends it again.
    totals.stopReason ??= error;
  }
}

type Outcome =
  | { readonly kind: 'added'; readonly id: string }
  | { readonly kind: 'rejected' | 'unknown' | 'notSent'; readonly failure: Failure };

/** Stands in the journal for an id that the response did not contain. */
const missingId = '?';

/** Statuses that concern one row; any other 4xx would reject all rows. */
const rowStatuses = [400, 409, 413, 422];

function classifyError(error: unknown, isSent: boolean): Outcome {
  if (!(error instanceof Failure)) throw error;
  const { kind, details } = error;
  if (kind === 'rejected' && rowStatuses.includes(details.status ?? 0)) {
    return { kind: 'rejected', failure: error };
  }
  if (kind === 'unknown-outcome' && details.status === 201) return { kind: 'added', id: missingId };
  const isUnknown = kind === 'unknown-outcome' || (kind === 'canceled' && isSent);
  return { kind: isUnknown ? 'unknown' : 'notSent', failure: error };
}

/** Stops the import at so many unknown outcomes in a row: a failing service would make all outcomes unknown. */
const maxConsecutiveUnknown = 5;

function recordOutcome(
  row: Row,
  outcome: Outcome,
  isSent: boolean,
  totals: ImportTotals,
  journal: Journal,
): void {
  switch (outcome.kind) {
    case 'added':
      totals.added += 1;
      totals.consecutiveUnknown = 0;
      journal.markAdded(row.number, outcome.id);
      break;
    case 'rejected': {
      totals.rejected += 1;
      const { code, message } = outcome.failure.details;
      journal.markRejected(row.number, `${code}: ${message}`);
      break;
    }
    case 'unknown':
      countUnknown(row, totals);
      totals.consecutiveUnknown += 1;
      if (
        outcome.failure.kind === 'canceled' ||
        totals.consecutiveUnknown >= maxConsecutiveUnknown
      ) {
        totals.stopReason ??= outcome.failure;
      }
      break;
    case 'notSent':
      totals.notSent += 1;
      totals.stopReason ??= outcome.failure;
      if (isSent) journal.markNotSent(row.number);
  }
}

const maxListedRows = 1_000;

function countUnknown({ line, pet }: Row, totals: ImportTotals): void {
  totals.unknown += 1;
  if (totals.unknownRows.length < maxListedRows) {
    totals.unknownRows.push({ line, ...(pet && { pet }) });
  }
}
