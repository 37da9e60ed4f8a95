import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { hashAccount, openFileLedger } from '../quota/file-ledger.js';
import { emptyLedgerEntry, type LedgerEntry } from '../quota/ledger.js';
import type { AppContext } from './context.js';

/** Returns the ledger entry of the account in use. It is empty if no request could be sent. */
export async function findLastQuota(context: AppContext): Promise<LedgerEntry> {
  const { runtime, settings, config } = context;
  const { baseUrl, key, problem } = await config.account();
  if (!key || problem) return emptyLedgerEntry;
  const origin = baseUrl === undefined ? sandboxOrigin : config.parseBaseUrl(baseUrl).origin;
  const account = hashAccount(origin, key);
  const local = openFileLedger(config.paths.quota, account, createLocks(runtime), () => {});
  if (!settings.ledger || baseUrl === undefined) return local.find();
  const { openSharedLedger } = await import('./redis-ledger.js');
  const sharedLedger = openSharedLedger(account, local, context);
  try {
    return await sharedLedger.find();
  } finally {
    sharedLedger.close();
  }
}
