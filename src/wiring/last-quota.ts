import { accountOf, openLedger } from '../local/ledger.js';
import type { LockOptions } from '../local/lock.js';
import type { Paths } from '../local/paths.js';
import type { Context } from '../ports/context.js';
import type { LedgerEntry } from '../ports/ledger.js';
import { sandboxOrigin } from '../ports/settings.js';

/** What the ledger holds of the account in use; nothing where no request could be sent. */
export async function lastQuota(
  context: Context,
  paths: Paths,
  lock: LockOptions,
): Promise<LedgerEntry | undefined> {
  const { baseUrl, key, problem } = await context.account();
  if (!key || problem) return undefined;
  const origin = baseUrl === undefined ? sandboxOrigin : context.parseBaseUrl(baseUrl).origin;
  return openLedger(paths.quota, lock, () => {}).find(accountOf(origin, key));
}
