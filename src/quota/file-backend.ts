import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import { replaceFile, withLock } from '../config/files.js';
import { emptyQuotaState, parseQuotaState, type QuotaState } from './quota-state.js';
import type { QuotaBackend } from './quota-store.js';

/** Keeps the quota state of an account in a small file in a private directory. */
export function openFileBackend(directory: string, account: string, clock: Clock): QuotaBackend {
  const path = join(directory, `${account}.json`);
  return {
    read: async () => readState(path),
    replace: (edit, signal) =>
      withLock(path, { clock, signal }, async () => {
        const before = readState(path);
        const after = edit(before);
        if (after !== before) await replaceFile(path, `${JSON.stringify(after)}\n`, clock);
        return after;
      }),
    remove: () => withLock(path, { clock }, () => rmSync(path, { force: true })),
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
