import { statSync } from 'node:fs';
import type { Database } from './sql.js';

/**
 * The database on `path` for a process that ends when it closes it. Where it has only counted, nothing is synced then,
 * which takes as long as a request: the journal stays (`-wal`, sqlite.org/wal.html), from where the next process goes
 * on, and is emptied once it is large.
 */
export function deferCheckpoint(database: Database, path: string): Database {
  let hasWritten = false;
  return {
    ...database,
    write: (...statements) => {
      hasWritten = true;
      return database.write(...statements);
    },
    close: async () => {
      const { size } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? { size: 0 };
      if (hasWritten || size > maxJournalBytes) await database.close();
    },
  };
}

/** In bytes: some sixteen counts. */
const maxJournalBytes = 65_536;
