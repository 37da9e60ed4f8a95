import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, type LedgerEntry, unknownEntry } from '../ports/ledger.js';
import type { Secret } from '../ports/secret.js';
import { parseEntry } from './ledger-entry.js';
import { type LockOptions, withLock } from './lock.js';

/**
 * The ledger on disk: a small file for each account in one private directory. A ledger that cannot be read
 * or written never stops a command: this process then goes by what it has seen itself, and `onTrouble` is
 * told once. A damaged file is moved aside.
 */
export function openLedger(
  directory: string,
  lock: LockOptions,
  onTrouble: (error: unknown) => void,
): Ledger {
  const { pid, host, lives } = lock.holder;
  const seen = new Map<string, LedgerEntry>();
  const fileOf = (account: string) => join(directory, `${account}.json`);
  const current = (account: string) =>
    readEntry(fileOf(account)) ?? seen.get(account) ?? unknownEntry;
  let troubled = false;
  const trouble = (error: unknown) => {
    if (!troubled) onTrouble(error);
    troubled = true;
  };
  // This process's own requests take turns here, since a lock has nobody to wake.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    owner: `${pid} ${host}`,
    hasEnded: (owner) => {
      const [id, where] = owner.split(' ');
      return where === host && Number(id) !== pid && !lives(Number(id));
    },
    find: async (account) => readEntry(fileOf(account)) ?? seen.get(account),
    update: (account, edit) => {
      const file = fileOf(account);
      const work = async () => {
        const change = (before: LedgerEntry, keep: (entry: LedgerEntry) => void) => {
          const [entry, result] = edit(before);
          seen.set(account, entry);
          if (entry !== before) keep(entry);
          return result;
        };
        if (troubled) return change(seen.get(account) ?? current(account), () => {});
        try {
          return await withLock(`${file}.lock`, { ...lock, patience: 2_000 }, () =>
            change(current(account), (entry) => {
              try {
                writeEntry(file, entry);
              } catch (error) {
                trouble(error);
              }
            }),
          );
        } catch (error) {
          trouble(error);
          return change(current(account), () => {});
        }
      };
      const working = turn.then(work);
      turn = working.catch(() => {});
      return working;
    },
  };
}

/** The name of an account in the ledger: a digest of origin and key, which gives neither away. */
export function accountOf(origin: string, key: Secret): string {
  return createHash('sha256').update(`${origin}\n${key.reveal()}`).digest('hex').slice(0, 32);
}

function readEntry(file: string): LedgerEntry | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const entry = parseEntry(text);
  if (!entry) setAside(file);
  return entry;
}

function setAside(file: string): void {
  try {
    renameSync(file, `${file}.damaged`);
  } catch {
    // Another process has just done so, or nothing can be written here at all.
  }
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
