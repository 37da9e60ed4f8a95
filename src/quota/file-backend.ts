import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locks } from '../config/files.js';
import { emptyQuotaState, parseQuotaState, type QuotaState } from './quota-state.js';
import type { QuotaBackend } from './quota-store.js';

/** Keeps the quota state of an account in a small file in a private directory. */
export function openFileBackend(directory: string, account: string, locks: Locks): QuotaBackend {
  const path = join(directory, `${account}.json`);
  return {
    read: async () => readState(path),
    replace: (edit, signal) => {
      const replace = async () => {
        const before = readState(path);
        const after = edit(before);
        if (after !== before) await locks.replaceFile(path, `${JSON.stringify(after)}\n`);
        return after;
      };
      return locks.withLock(`${path}.lock`, replace, { signal });
    },
    remove: () => locks.withLock(`${path}.lock`, () => rmSync(path, { force: true })),
  };
}

function readState(path: string): QuotaState {
  try {
    return parseQuotaState(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return emptyQuotaState;
    throw code === undefined ? new Error(`${path} is damaged; delete the file`) : error;
  }
}
