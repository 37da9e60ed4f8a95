import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Locks } from '../config/lock.js';
import type { Secret } from '../config/secret.js';
import { Failure } from '../failure.js';
import { sha256Hex } from '../format/sha256.js';
import { type Edit, type Ledger, type LedgerEntry, unknownEntry } from './ledger.js';
import { readLine, writeLine } from './ledger-file.js';
import { parseEntry } from './parse-ledger-entry.js';
import { createSerialQueue } from './serial-queue.js';

/**
 * The ledger on disk: a small file for each account in one private directory, whose last line holds. A ledger that
 * cannot be read or written never stops a command: this process then goes by what it has seen itself, and `onTrouble`
 * is told once. A damaged file is moved aside.
 */
export function openLedger(
  directory: string,
  locks: Locks,
  onTrouble: (error: unknown) => void,
): Ledger {
  const { pid, host, isProcessAlive: lives } = locks.lockOwner;
  const seen = new Map<string, LedgerEntry>();
  // Accounts of which this process knows more than the disk, since it could not write.
  const unkept = new Set<string>();
  // Accounts whose file was no entry when it was last read.
  const damaged = new Set<string>();
  const fileOf = (account: string) => join(directory, `${account}.json`);
  let isTold = false;
  let isUsable = true;
  const trouble = (error: unknown) => {
    if (!isTold) onTrouble(error);
    isTold = true;
  };
  const unusable = (error: unknown) => {
    isUsable = false;
    trouble(error);
    return undefined;
  };
  const onDisk = (account: string) => {
    try {
      const text = readLine(fileOf(account));
      const entry = text === undefined ? undefined : parseEntry(text);
      if (text !== undefined && !entry) damaged.add(account);
      else damaged.delete(account);
      return entry;
    } catch (error) {
      return unusable(error);
    }
  };
  const find = (account: string) => {
    const known = seen.get(account);
    // What is on disk grows old where it cannot be replaced.
    if (!isUsable && known) return known;
    const kept = onDisk(account) ?? known;
    return kept && known && unkept.has(account) ? withLaterBlock(kept, known) : kept;
  };
  const change = <Result>(
    account: string,
    edit: Edit<Result>,
    keep: ((entry: LedgerEntry) => void) | undefined,
  ): Result => {
    const before = find(account) ?? unknownEntry;
    const [entry, result] = edit(before);
    seen.set(account, entry);
    if (!keep || !isUsable) {
      unkept.add(account);
      return result;
    }
    const wasUnkept = unkept.delete(account);
    if (wasUnkept || entry !== before) keep(entry);
    return result;
  };
  const update = async <Result>(account: string, edit: Edit<Result>): Promise<Result> => {
    const file = fileOf(account);
    const keep = (entry: LedgerEntry) => {
      try {
        // The lock is held since it was read: it is still that file.
        if (damaged.delete(account)) renameSync(file, `${file}.damaged`);
        writeLine(file, JSON.stringify(entry), pid);
      } catch (error) {
        unusable(error);
      }
    };
    if (!isUsable) return change(account, edit, undefined);
    try {
      return await locks.withLock(`${file}.lock`, () => change(account, edit, keep), 2_000);
    } catch (error) {
      // A lock that another process holds for long may be free the next time.
      if (error instanceof Failure) trouble(error);
      else unusable(error);
      return change(account, edit, undefined);
    }
  };
  // This process's own requests take turns here, since a lock has nobody to wake.
  const turns = createSerialQueue();
  return {
    owner: `${pid} ${host}`,
    hasEnded: (owner) => {
      const [id, where] = owner.split(' ');
      return where === host && Number(id) !== pid && !lives(Number(id));
    },
    find: async (account) => find(account),
    update: (account, edit) => turns.run(() => update(account, edit)),
    settled: async () => {
      await turns.whenIdle();
      if (isUsable)
        for (const account of unkept) await update(account, (entry) => [entry, undefined]);
    },
  };
}

/** The name of an account in the ledger: a digest of origin and key, which gives neither away. */
export function accountOf(origin: string, key: Secret): string {
  return sha256Hex(`${origin}\n${key.reveal()}`).slice(0, 32);
}

/** What one process knows of a block, another may not. */
function withLaterBlock(entry: LedgerEntry, { block }: LedgerEntry): LedgerEntry {
  const isLater = block && block.until > (entry.block?.until ?? 0);
  return isLater ? { ...entry, block } : entry;
}
