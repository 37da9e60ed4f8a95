import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { accountOf, openLedger } from '../quota/file-ledger.js';
import type { LedgerEntry } from '../quota/ledger.js';
import type { Context } from './context.js';
import type { Surroundings } from './runtime.js';

/** What the ledger holds of the account in use; nothing where no request could be sent. */
export async function lastQuota(
  context: Context,
  surroundings: Pick<Surroundings, 'world' | 'paths' | 'settings' | 'tellAway'>,
): Promise<LedgerEntry | undefined> {
  const { world, paths, settings } = surroundings;
  const { baseUrl, key, problem } = await context.account();
  if (!key || problem) return undefined;
  const local = openLedger(paths.quota, createLocks(world), () => {});
  if (baseUrl === undefined) return local.find(accountOf(sandboxOrigin, key));
  const account = accountOf(context.parseBaseUrl(baseUrl).origin, key);
  if (!settings.ledger) return local.find(account);
  const fleet = (await import('./fleet.js')).openFleet(local, surroundings);
  try {
    return await fleet.find(account);
  } finally {
    fleet.close();
  }
}
