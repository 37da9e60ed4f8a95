import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { hashAccount, openFileLedger } from '../quota/file-ledger.js';
import type { LedgerEntry } from '../quota/ledger.js';
import type { AppContext } from './context.js';

/** What the ledger holds of the account in use; nothing where no request could be sent. */
export async function findLastQuota(context: AppContext): Promise<LedgerEntry | undefined> {
  const { runtime, settings, config } = context;
  const { baseUrl, key, problem } = await config.account();
  if (!key || problem) return undefined;
  const local = openFileLedger(config.paths.quota, createLocks(runtime), () => {});
  if (baseUrl === undefined) return local.find(hashAccount(sandboxOrigin, key));
  const account = hashAccount(config.parseBaseUrl(baseUrl).origin, key);
  if (!settings.ledger) return local.find(account);
  const fleet = (await import('./redis-ledger.js')).openSharedLedger(local, context);
  try {
    return await fleet.find(account);
  } finally {
    fleet.close();
  }
}
