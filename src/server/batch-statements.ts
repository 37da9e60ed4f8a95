import type { DatabaseError, SqlRow, Statement } from './sql.js';

export interface BatchOptions {
  /** Runs statements in one transaction, and resolves to the rows of each. */
  readonly run: (statements: readonly Statement[]) => Promise<readonly (readonly SqlRow[])[]>;
  /** True if statements with the same key are identical reads, so that one is sent for all of them. */
  readonly isShared?: boolean;
  /** Returns whether an error proves that nothing was written. */
  readonly isRolledBack: (error: DatabaseError) => boolean;
}

/** The number of batches that run at once. Meanwhile, further statements wait and form the next batch. */
const maxRunning = 2;

/** Statements of a batch that succeed or fail together. */
interface Group {
  readonly statements: Statement[];
  readonly callers: Caller[];
}

interface Caller {
  /** The position of the caller's statement in the group. */
  readonly index: number;
  readonly resolve: (rows: readonly SqlRow[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that runs a statement in one transaction with others that are requested in the same turn of the
 * event loop or while earlier batches run. Statements run in ascending order of their keys. If each key names the row
 * that its statements lock, all processes lock rows in the same order and never deadlock. Statements with the same key
 * run in the order of the calls. If the transaction is rolled back, the statements of each key run in a transaction
 * without other keys, so that one failure affects no other key. After any other error, such as a lost connection, the
 * statements may have been written, so they never run again.
 */
export function batchStatements<Key extends string | number>({
  run,
  isShared = false,
  isRolledBack,
}: BatchOptions): (key: Key, statement: Statement) => Promise<readonly SqlRow[]> {
  let groups = new Map<Key, Group>();
  let running = 0;
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled || running >= maxRunning || groups.size === 0) return;
    isScheduled = true;
    setImmediate(flush);
  };
  const flush = async () => {
    isScheduled = false;
    const batch = [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
    groups = new Map();
    running += 1;
    const rolledBack = await runGroups(batch);
    running -= 1;
    schedule();
    for (const group of rolledBack) void runGroups([group]);
  };
  /** Returns the groups to run again, each in its own transaction. */
  const runGroups = async (batch: readonly Group[]): Promise<readonly Group[]> => {
    try {
      const results = await run(batch.flatMap(({ statements }) => statements));
      let start = 0;
      for (const { statements, callers } of batch) {
        for (const { index, resolve } of callers) resolve(results[start + index] ?? []);
        start += statements.length;
      }
    } catch (error) {
      if (batch.length > 1 && isRolledBack(error as DatabaseError)) return batch;
      for (const { callers } of batch) for (const { reject } of callers) reject(error);
    }
    return [];
  };
  return (key, statement) =>
    new Promise((resolve, reject) => {
      const group = groups.get(key) ?? { statements: [], callers: [] };
      groups.set(key, group);
      if (!isShared || group.statements.length === 0) group.statements.push(statement);
      group.callers.push({ index: group.statements.length - 1, resolve, reject });
      schedule();
    });
}
