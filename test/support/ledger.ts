import type { Ledger, LedgerEntry } from '../../src/quota/ledger.js';
import { emptyLedgerEntry } from '../../src/quota/ledger.js';

export interface TestLedger extends Ledger {
  /** What stands in the ledger, for whoever asks; it may be set, as another process does. */
  entry: LedgerEntry;
  /** Processes that have ended. */
  readonly ended: Set<string>;
}

/** A ledger of one account in memory, which several gates can share. */
export function memoryLedger(entry: LedgerEntry = emptyLedgerEntry): TestLedger {
  const ended = new Set<string>();
  const ledger: TestLedger = {
    owner: '1 here',
    entry,
    ended,
    hasEnded: (owner) => ended.has(owner),
    find: async () => ledger.entry,
    update: async (_, edit) => {
      const [after, result] = edit(ledger.entry);
      ledger.entry = after;
      return result;
    },
    flush: async () => {},
  };
  return ledger;
}

/** Lets every promise that can go on do so; no time passes on a fake clock. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}

/** Counts one in the entry of account `a`; resolves to what was counted before. */
export function countOne(ledger: Ledger): Promise<number> {
  return ledger.update('a', (before) => [{ ...before, seenAt: before.seenAt + 1 }, before.seenAt]);
}
