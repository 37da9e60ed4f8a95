import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger, LedgerEntry } from '../ports/ledger.js';
import type { Secret } from '../ports/secret.js';
import { type LockOptions, withLock } from './lock.js';

/**
 * The ledger on disk: a small file for each account in one private directory. A ledger that cannot be
 * read or written never stops a command: `find` then knows nothing, and `onTrouble` is told.
 */
export function openLedger(
  directory: string,
  lock: LockOptions,
  onTrouble: (error: unknown) => void,
): Ledger {
  return {
    find: (account) => readEntry(fileOf(directory, account)),
    record: async (account, entry) => {
      const file = fileOf(directory, account);
      try {
        await withLock(`${file}.lock`, { ...lock, patience: 2_000 }, () => {
          writeEntry(file, merge(readEntry(file), entry));
        });
      } catch (error) {
        onTrouble(error);
      }
    },
  };
}

/** The name of an account in the ledger: a digest of origin and key, which gives neither away. */
export function accountOf(origin: string, key: Secret): string {
  return createHash('sha256').update(`${origin}\n${key.reveal()}`).digest('hex').slice(0, 32);
}

/** Answers may come back in another order than the service counted them: within a window the lower holds. */
function merge(before: LedgerEntry | undefined, entry: LedgerEntry): LedgerEntry {
  const { limit, remaining, resetAt } = entry.quota;
  const sameWindow =
    before !== undefined &&
    resetAt !== undefined &&
    before.quota.resetAt === resetAt &&
    before.quota.limit === limit;
  if (!sameWindow || before.quota.remaining === undefined || remaining === undefined) return entry;
  return {
    ...entry,
    quota: { ...entry.quota, remaining: Math.min(before.quota.remaining, remaining) },
  };
}

function fileOf(directory: string, account: string): string {
  return join(directory, `${account}.json`);
}

function readEntry(file: string): LedgerEntry | undefined {
  try {
    const { quota, seenAt, blockedUntil } = JSON.parse(
      readFileSync(file, 'utf8'),
    ) as Partial<LedgerEntry>;
    if (!isTime(seenAt) || typeof quota !== 'object' || quota === null) return undefined;
    const { limit, remaining, resetAt } = quota;
    return {
      quota: {
        ...(isCount(limit) && { limit }),
        ...(isCount(remaining) && {
          remaining: Math.min(remaining, isCount(limit) ? limit : remaining),
        }),
        ...(isTime(resetAt) && { resetAt }),
      },
      seenAt,
      ...(isTime(blockedUntil) && { blockedUntil }),
    };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Milliseconds since the Unix epoch that a date can be made of. */
function isTime(value: unknown): value is number {
  return isCount(value) && value <= 8_640_000_000_000_000;
}

function writeEntry(file: string, entry: LedgerEntry): void {
  const temporary = `${file}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify(entry), { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
