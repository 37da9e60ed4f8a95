import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locks } from '../config/lock.js';
import type { Secret } from '../config/secret.js';
import { Failure } from '../failure.js';
import { sha256Hex } from '../format/sha256.js';
import {
  emptyLedgerEntry,
  type Ledger,
  type LedgerEdit,
  type LedgerEntry,
  pickLaterBlock,
} from './ledger.js';
import { formatLedgerEntry, parseLedgerEntry } from './ledger-format.js';
import { createSerialQueue } from './serial-queue.js';

const lockTimeoutMs = 2_000;

/**
 * Opens the ledger on disk: one small file for each account, in a private directory. A damaged file is moved aside. A
 * ledger that cannot be read or written never stops a command: this process then uses what it knows itself, and calls
 * `onError` once.
 */
export function openFileLedger(
  directory: string,
  locks: Locks,
  onError: (error: unknown) => void,
): Ledger {
  const { pid, host, isProcessAlive } = locks.lockOwner;
  const known = new Map<string, LedgerEntry>();
  /** Accounts whose latest state is not on disk. */
  const unsaved = new Set<string>();
  /** Accounts whose file held no valid entry when it was last read. */
  const damaged = new Set<string>();
  const pathOf = (account: string) => join(directory, `${account}.json`);
  let hasReported = false;
  let isUsable = true;
  const report = (error: unknown) => {
    if (!hasReported) onError(error);
    hasReported = true;
  };
  const disable = (error: unknown) => {
    isUsable = false;
    report(error);
  };
  const read = (account: string): LedgerEntry | undefined => {
    const text = readEntryText(pathOf(account));
    const entry = text === undefined ? undefined : parseLedgerEntry(text);
    if (text !== undefined && !entry) damaged.add(account);
    else damaged.delete(account);
    return entry;
  };
  const find = (account: string): LedgerEntry | undefined => {
    const own = known.get(account);
    // A file that cannot be replaced is out of date.
    if (!isUsable && own) return own;
    try {
      const entry = read(account) ?? own;
      if (!entry || !own || !unsaved.has(account)) return entry;
      const block = pickLaterBlock(entry.block, own.block, locks.clock.now());
      return { ...entry, ...(block && { block }) };
    } catch (error) {
      disable(error);
      return own;
    }
  };
  const change = <Result>(
    account: string,
    edit: LedgerEdit<Result>,
    save: ((entry: LedgerEntry) => void) | undefined,
  ): Result => {
    const before = find(account) ?? emptyLedgerEntry;
    const [entry, result] = edit(before);
    known.set(account, entry);
    if (!save || !isUsable) {
      unsaved.add(account);
      return result;
    }
    const wasUnsaved = unsaved.delete(account);
    if (wasUnsaved || entry !== before) save(entry);
    return result;
  };
  const update = async <Result>(account: string, edit: LedgerEdit<Result>): Promise<Result> => {
    const path = pathOf(account);
    const save = (entry: LedgerEntry) => {
      try {
        // The lock has been held since the damaged file was read.
        if (damaged.delete(account)) renameSync(path, `${path}.damaged`);
        replaceFile(path, `${formatLedgerEntry(entry)}\n`, pid);
      } catch (error) {
        disable(error);
      }
    };
    if (!isUsable) return change(account, edit, undefined);
    try {
      return await locks.withLock(`${path}.lock`, () => change(account, edit, save), lockTimeoutMs);
    } catch (error) {
      // The next update may get a lock that another process holds now.
      if (error instanceof Failure) report(error);
      else disable(error);
      return change(account, edit, undefined);
    }
  };
  // Waiting in a queue is faster than polling the lock.
  const queue = createSerialQueue();
  return {
    owner: `${pid} ${host}`,
    hasEnded: (owner) => {
      const [id, ownerHost] = owner.split(' ');
      return ownerHost === host && Number(id) !== pid && !isProcessAlive(Number(id));
    },
    find: async (account) => find(account),
    update: (account, edit) => queue.run(() => update(account, edit)),
    flush: async () => {
      await queue.whenIdle();
      if (!isUsable) return;
      for (const account of unsaved) await update(account, (entry) => [entry, undefined]);
    },
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
