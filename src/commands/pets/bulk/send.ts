import { createPet } from '../../../contract/operations.js';
import type { NewPet } from '../../../contract/pet.js';
import type { Client } from '../../../ports/client.js';
import { Failure } from '../../../ports/failure.js';
import type { Journal } from '../../../ports/files.js';
import { numberText } from '../../../text/json.js';
import type { Row } from './rows.js';

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
  const work = async () => {
    for (;;) {
      const { done, value: row } = await rows.next();
      if (done) return;
      await take(row, totals, options);
      options.onDone(totals);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return totals;
}

async function take(row: Row, totals: Totals, options: SendOptions): Promise<void> {
  const state = options.journal.stateOf(row.number);
  if (!row.pet || state === 'rejected') totals.rejected += 1;
  else if (state === 'added') totals.skipped += 1;
  else if (state === 'begun') doubt(row, totals);
  else {
    if (options.signal.aborted) totals.stopped ??= options.signal.reason as Failure;
    if (totals.stopped) totals.notSent += 1;
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
  const witness = {
    sending: () => {
      mayBeDone = true;
      return journal.begin(number);
    },
    repeating: () => {
      mayBeDone = false;
      journal.takeBack(number);
    },
  };
  try {
    const { value } = await client.call(createPet, pet, witness);
    journal.added(number, numberText(value.id) ?? '?');
    totals.added += 1;
    totals.doubtsInARow = 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { kind, details } = error;
    if (kind === 'refused') {
      journal.rejected(number, `${details.code}: ${details.message}`);
      totals.rejected += 1;
    } else if (kind === 'unknown-outcome' && details.status === 201) {
      journal.added(number, '?');
      totals.added += 1;
    } else if (kind === 'unknown-outcome' || (kind === 'cancelled' && mayBeDone)) {
      doubt(row, totals);
      totals.doubtsInARow += 1;
      const isOver = kind === 'cancelled' || totals.doubtsInARow >= mostInDoubt;
      if (isOver) totals.stopped ??= error;
    } else {
      if (mayBeDone) journal.takeBack(number);
      totals.notSent += 1;
      totals.stopped ??= error;
    }
  }
}

function doubt({ line, pet }: Row, totals: Totals): void {
  totals.inDoubt += 1;
  if (totals.doubts.length < mostNamed) totals.doubts.push({ line, ...(pet && { pet }) });
}
