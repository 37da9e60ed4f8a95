import { emptyLedgerEntry, type Ledger, type LedgerEntry } from '../../src/quota/ledger.js';

export interface TestLedger extends Ledger {
  /** The stored entry. A test may set it, as another process does. */
  entry: LedgerEntry;
  /** The names of ended processes. */
  readonly ended: Set<string>;
}

/** Returns a ledger of one account in memory. Several gates can share it. */
export function memoryLedger(entry: LedgerEntry = emptyLedgerEntry): TestLedger {
  const ended = new Set<string>();
  const ledger: TestLedger = {
    owner: '1 here',
    entry,
    ended,
    hasEnded: (owner) => ended.has(owner),
    find: async () => ledger.entry,
    update: async (edit) => {
      const [after, result] = edit(ledger.entry);
      ledger.entry = after;
      return result;
    },
    flush: async () => {},
  };
  return ledger;
}

/** Runs all pending promise callbacks. No time passes on a fake clock. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}

/** Increments a counter in the entry. Resolves to its previous value. */
export function countOne(ledger: Pick<Ledger, 'update'>): Promise<number> {
  return ledger.update((before) => [{ ...before, seenAt: before.seenAt + 1 }, before.seenAt]);
}
