import type { SqlRow, Statement } from './sql.js';

/** Statements that take effect together. */
export interface Transaction {
  readonly statements: readonly Statement[];
  /** Whether it must survive a power cut. */
  readonly isSynced: boolean;
}

interface Pending extends Transaction {
  readonly resolve: (rows: readonly SqlRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that runs a transaction together with all others of the same batch, in the order of the calls, and
 * resolves to the rows of its last statement. `commit` runs a batch as one transaction and resolves to the
 * rows of each; if it rejects, nothing was written. Then each transaction runs alone, so that one failure affects no other.
 * `schedule` calls its argument when no more transactions join the batch: `setImmediate` at the end of the turn.
 */
export function batchTransactions(
  commit: (batch: readonly Transaction[]) => Promise<readonly (readonly SqlRow[])[]>,
  schedule: (flush: () => void) => void,
): (transaction: Transaction) => Promise<readonly SqlRow[]> {
  let pending: Pending[] = [];
  const runAlone = async (transaction: Pending) => {
    try {
      const [rows = []] = await commit([transaction]);
      transaction.resolve(rows);
    } catch (error) {
      transaction.reject(error);
    }
  };
  const flush = async () => {
    const batch = pending;
    pending = [];
    try {
      const results = await commit(batch);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? []);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const transaction of batch) await runAlone(transaction);
    }
  };
  return (transaction) =>
    new Promise((resolve, reject) => {
      pending.push({ resolve, reject, ...transaction });
      if (pending.length === 1) schedule(flush);
    });
}
