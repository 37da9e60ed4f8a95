import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locks } from '../config/lock.js';
import type { Secret } from '../config/secret.js';
import { sha256Hex } from '../format/sha256.js';
import {
  createSerialQueue,
  emptyLedgerEntry,
  type Ledger,
  type LedgerEdit,
  type LedgerEntry,
  mergeReservations,
} from './ledger.js';
import { formatLedgerEntry, parseLedgerEntry } from './ledger-format.js';

const lockTimeoutMs = 2_000;

/**
 * Opens the ledger of an account on disk: a small file in a private directory. A damaged file is moved aside. A ledger
 * that cannot be read or written never stops a command: this process then keeps the state in memory, and calls `onError`
 * once.
 */
export function openFileLedger(
  directory: string,
  account: string,
  locks: Locks,
  onError: (error: unknown) => void,
): Ledger {
  const { pid, host, isProcessAlive } = locks.lockOwner;
  const owner = `${pid} ${host}`;
  const path = join(directory, `${account}.json`);
  let known: LedgerEntry | undefined;
  /** True if the file lacks a change of this process. */
  let isUnsaved = false;
  let hasReported = false;
  const report = (error: unknown) => {
    if (!hasReported) onError(error);
    hasReported = true;
  };
  const read = () => {
    const text = readEntryText(path);
    const stored = text === undefined ? undefined : parseLedgerEntry(text);
    const isDamaged = text !== undefined && !stored;
    if (!stored || !known || !isUnsaved)
      return { entry: stored ?? known ?? emptyLedgerEntry, isDamaged };
    return { entry: mergeReservations(known, stored, owner, locks.clock.now()), isDamaged };
  };
  const find = () => {
    try {
      return read().entry;
    } catch (error) {
      report(error);
      return known ?? emptyLedgerEntry;
    }
  };
  const apply = <Result>(edit: LedgerEdit<Result>, before: LedgerEntry) => {
    const [entry, result] = edit(before);
    isUnsaved ||= entry !== before;
    known = entry;
    return { entry, result };
  };
  const save = (entry: LedgerEntry, isDamaged: boolean) => {
    try {
      if (isDamaged) renameSync(path, `${path}.damaged`);
      replaceFile(path, `${formatLedgerEntry(entry)}\n`, pid);
      isUnsaved = false;
    } catch (error) {
      report(error);
    }
  };
  const updateFile = <Result>(edit: LedgerEdit<Result>): Result => {
    const { entry: before, isDamaged } = read();
    const { entry, result } = apply(edit, before);
    if (isUnsaved) save(entry, isDamaged);
    return result;
  };
  const update = <Result>(edit: LedgerEdit<Result>): Promise<Result> =>
    locks
      .withLock(`${path}.lock`, () => updateFile(edit), lockTimeoutMs)
      .catch((error) => {
        report(error);
        return apply(edit, find()).result;
      });
  // Waiting in a queue is faster than polling the lock.
  const enqueue = createSerialQueue();
  return {
    owner,
    hasEnded: (name) => {
      const [id, ownerHost] = name.split(' ');
      return ownerHost === host && Number(id) !== pid && !isProcessAlive(Number(id));
    },
    find: async () => find(),
    update: (edit) => enqueue(() => update(edit)),
    flush: () =>
      enqueue(async () => {
        if (isUnsaved) await update((entry) => [entry, undefined]);
      }),
  };
}

/** Returns the name of an account in the ledger: a digest, which reveals neither origin nor API key. */
export function hashAccount(origin: string, apiKey: Secret): string {
  return sha256Hex(`${origin}\n${apiKey.reveal()}`).slice(0, 32);
}

/** Returns the last complete line: released versions append a line for each change. */
function readEntryText(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  // Reading a pipe would block.
  if (!stats.isFile()) throw new Error(`${path} is no file`);
  const text = readFileSync(path, 'utf8');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1) || text;
  return complete.trimEnd().split('\n').at(-1);
}

/** Replaces a file, so that a reader without the lock never sees half of it. */
function replaceFile(path: string, text: string, pid: number): void {
  const temporary = `${path}.${pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}
