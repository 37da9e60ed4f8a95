import { closeSync, fdatasync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../../../clock.js';
import type { HeldLock } from '../../../config/files.js';
import { Failure, sameCommand } from '../../../failure.js';
import { isKeyStored } from '../../../quota/idempotency-support.js';
import {
  countSentRows,
  findReservationTime,
  type JournalContent,
  journalLine,
  type RowState,
  rowStates,
  setRowState,
} from './journal-file.js';

/** The state of an import, row by row, saved on disk so that the import can be resumed. */
export type Journal = ReturnType<typeof createJournal>;

/**
 * Returns how many rows one sync reserves: those of a quarter of a second, between 32 and 256. A power cut
 * makes that many outcomes unknown; more frequent syncs slow down the whole disk.
 */
function calculateRowsPerSync(rows: number, elapsedMs: number): number {
  const perSecond = rows / Math.max(1, elapsedMs / 1000);
  return Math.min(256, Math.max(32, Math.round(perSecond / 4)));
}

export const sync = promisify(fdatasync);

export function createJournal(
  file: number,
  path: string,
  content: JournalContent,
  { lock, keyPrefix, clock }: { readonly lock: HeldLock; readonly keyPrefix: string; readonly clock: Clock },
) {
  let fatal: unknown;
  const fail = (error: unknown): never => {
    fatal = toJournalFailure(error, path);
    throw fatal;
  };
  const write = (line: string) => {
    // After a partial line, further lines would be misread.
    if (fatal !== undefined) throw fatal;
    try {
      const bytes = Buffer.from(`${line}\n`);
      // A disk that is nearly full may write only a part.
      if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error(), { code: 'ENOSPC' });
    } catch (error) {
      fail(error);
    }
  };
  const record = (row: number, state: RowState, line: string) => {
    write(line);
    setRowState(content, row, state);
  };
  const start = clock.now();
  let sent = 0;
  let rowsPerSync = calculateRowsPerSync(0, 0);
  let { reservedRow } = content;
  let syncedRow = reservedRow;
  let syncing = Promise.resolve();
  const reserve = (row: number) => {
    rowsPerSync = calculateRowsPerSync(sent, clock.now() - start);
    const last = row + rowsPerSync;
    reservedRow = last;
    const reservedAt = clock.now();
    content.reservations.push({ lastRow: last, reservedAt });
    write(journalLine.reserved(last, reservedAt));
    syncing = sync(file).then(() => {
      syncedRow = Math.max(syncedRow, last);
    }, fail);
    syncing.catch(() => {});
  };
  return {
    path,
    /** The number of rows that earlier runs sent. */
    sentRows: countSentRows(content),
    isFinished: content.isFinished,
    getState: (row: number) => rowStates[content.states[row] ?? 0] as RowState,
    /** Returns the idempotency key of a row, the same in every run. */
    getIdempotencyKey: (row: number) => `${keyPrefix}-${row}`,
    /** Returns whether the service, which stores keys for `lifetimeMs`, still has the key of a row that was sent. */
    isKeyStored: (row: number, lifetimeMs: number) => {
      if (content.rowsOfOtherKeys.has(row)) return false;
      const ageMs = clock.now() - (findReservationTime(content, row) ?? Number.NaN);
      return isKeyStored({ lifetimeMs }, ageMs);
    },
    getRejectReason: (row: number) => content.rejectReasons.get(row),
    /** Records that the row is about to be sent; resolves once that survives a power cut. */
    markSent: async (row: number) => {
      sent += 1;
      // Reserves the next rows early, so that sending rarely waits for the disk.
      if (row + rowsPerSync / 2 > reservedRow) reserve(row);
      while (row > syncedRow) await syncing;
      if (!lock.isHeld()) throw takenOverFailure(path);
      record(row, 'sent', journalLine.sent(row));
    },
    /** Records that the service did not carry out the row. */
    markNotSent: (row: number) => record(row, 'new', journalLine.notSent(row)),
    markAdded: (row: number, id: string) => record(row, 'added', journalLine.added(row, id)),
    markRejected: (row: number, reason: string) => {
      content.rejectReasons.set(row, reason);
      record(row, 'rejected', journalLine.rejected(row, reason));
    },
    finish: async () => {
      write(journalLine.finished());
      await sync(file);
    },
    close: async () => {
      await syncing.catch(() => {});
      closeSync(file);
      lock.release();
    },
  };
}

export function takenOverFailure(path: string): Failure {
  return new Failure('system', {
    code: 'lock_held',
    message: `another petstore process took over ${path} while this process was suspended`,
    hint: ['wait for the other process, then run the same command to resume', sameCommand],
  });
}

export function toJournalFailure(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) return error;
  return new Failure('system', {
    code: 'cannot_write',
    message: `cannot use the journal ${path} (${code})`,
    // Another journal would add pets twice.
    hint: `${findFix(code)}, then run the same command again`,
    cause: error,
  });
}

function findFix(code: string): string {
  if (code === 'EPERM' || code === 'EBUSY') return 'close other programs that have this file open';
  if (code === 'ENOTDIR') return 'check that each part of its path is a directory';
  return 'check the permissions of this file and its directory';
}
