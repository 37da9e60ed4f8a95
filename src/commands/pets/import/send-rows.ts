import { createPet } from '../../../api/operations.js';
import type { NewPet } from '../../../api/pet.js';
import type { Client } from '../../../client/client.js';
import { Failure } from '../../../failure.js';
import { formatExactNumber } from '../../../format/json.js';
import type { Journal } from './journal.js';
import type { Row } from './read-rows.js';

/** What became of the rows of an import. */
export interface Totals {
  added: number;
  /** Added by an earlier run. */
  skipped: number;
  rejected: number;
  /** Sent, and whether they were added is not known; as many are named as fit. */
  inDoubt: number;
  readonly doubts: Pick<Row, 'line' | 'pet'>[];
  /** Since a row was last surely added. */
  doubtsInARow: number;
  notSent: number;
  /** What ended the import before its end. */
  stopped?: Failure;
  /** Nothing was to be sent. */
  readonly isDryRun?: true;
}

export interface SendOptions {
  readonly client: Client;
  readonly journal: Journal;
  /** Requests at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** All rows that there are. */
  readonly total: number;
  /** Called for every row that needs no more. */
  readonly onDone: (totals: Totals) => void;
}

/** Sends the rows that were not sent yet, several at once, and writes down what becomes of each. */
export async function sendRows(rows: AsyncGenerator<Row>, options: SendOptions): Promise<Totals> {
  const totals: Totals = {
    added: 0,
    skipped: 0,
    rejected: 0,
    inDoubt: 0,
    doubts: [],
    doubtsInARow: 0,
    notSent: 0,
  };
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const { done, value: row } = await rows.next();
      if (done) return;
      await take(row, totals, options);
      options.onDone(totals);
    }
  };
  // What fails one lane ends the others once their rows have an outcome.
  const lane = () =>
    work().catch((error: unknown) => {
      isOver = true;
      throw error;
    });
  const lanes = await Promise.allSettled(Array.from({ length: options.concurrency }, lane));
  const failed = lanes.find((one) => one.status === 'rejected');
  if (!failed) return totals;
  if (!(failed.reason instanceof Failure)) throw failed.reason;
  // Rows are not read any more: the import was cancelled, or its file has changed.
  totals.stopped ??= failed.reason;
  const { added, skipped, rejected, inDoubt } = totals;
  totals.notSent = options.total - added - skipped - rejected - inDoubt;
  return totals;
}

async function take(row: Row, totals: Totals, options: SendOptions): Promise<void> {
  const state = options.journal.stateOf(row.number);
  if (!row.pet || state === 'rejected') totals.rejected += 1;
  else if (state === 'added') totals.skipped += 1;
  else if (state === 'begun') doubt(row, totals);
  else {
    if (options.signal.aborted) totals.stopped ??= options.signal.reason as Failure;
    if (totals.stopped || options.journal.isFinished) totals.notSent += 1;
    else await send(row, row.pet, totals, options);
  }
}

/** So many unknown outcomes in a row are a service that fails, and would put every row in doubt. */
const mostInDoubt = 5;
const mostNamed = 1_000;

async function send(
  row: Row,
  pet: NewPet,
  totals: Totals,
  { client, journal }: SendOptions,
): Promise<void> {
  const { number } = row;
  let mayBeDone = false;
  const sendObserver = {
    beforeSend: async () => {
      await journal.begin(number);
      mayBeDone = true;
    },
    beforeRetry: () => {
      mayBeDone = false;
      journal.takeBack(number);
    },
  };
  const outcome = await client.call(createPet, pet, sendObserver).then(
    ({ value }): Outcome => ({ id: formatExactNumber(value.id) ?? unknownId }),
    (error: unknown): Outcome => outcomeOf(error, mayBeDone),
  );
  count(row, outcome, totals);
  try {
    writeDown(number, outcome, mayBeDone, journal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // What was sent stands in the journal as begun, and is not sent again.
    totals.stopped ??= error;
  }
}

/** What became of a row that was to be sent. */
type Outcome =
  | { readonly id: string }
  | { readonly refused: Failure }
  | { readonly doubted: Failure }
  | { readonly notSent: Failure };

const unknownId = '?';

/** Statuses that refuse what a row holds; any other refuses all rows alike. */
const ofTheRow = [400, 409, 413, 422];

function outcomeOf(error: unknown, mayBeDone: boolean): Outcome {
  if (!(error instanceof Failure)) throw error;
  const { kind, details } = error;
  if (kind === 'rejected' && ofTheRow.includes(details.status ?? 0)) return { refused: error };
  if (kind === 'unknown-outcome' && details.status === 201) return { id: unknownId };
  if (kind === 'unknown-outcome' || (kind === 'canceled' && mayBeDone)) return { doubted: error };
  return { notSent: error };
}

function count(row: Row, outcome: Outcome, totals: Totals): void {
  if ('id' in outcome) {
    totals.added += 1;
    totals.doubtsInARow = 0;
  } else if ('refused' in outcome) {
    totals.rejected += 1;
  } else if ('doubted' in outcome) {
    doubt(row, totals);
    totals.doubtsInARow += 1;
    const isOver = outcome.doubted.kind === 'canceled' || totals.doubtsInARow >= mostInDoubt;
    if (isOver) totals.stopped ??= outcome.doubted;
  } else {
    totals.notSent += 1;
    totals.stopped ??= outcome.notSent;
  }
}

function writeDown(number: number, outcome: Outcome, mayBeDone: boolean, journal: Journal): void {
  if ('id' in outcome) journal.added(number, outcome.id);
  else if ('refused' in outcome) {
    const { code, message } = outcome.refused.details;
    journal.rejected(number, `${code}: ${message}`);
  } else if ('notSent' in outcome && mayBeDone) journal.takeBack(number);
}

function doubt({ line, pet }: Row, totals: Totals): void {
  totals.inDoubt += 1;
  if (totals.doubts.length < mostNamed) totals.doubts.push({ line, ...(pet && { pet }) });
}
