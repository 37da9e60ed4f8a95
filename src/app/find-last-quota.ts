import { createLocks } from '../config/files.js';
import { sandboxOrigin } from '../config/profile.js';
import { hashAccount, openFileQuotaStore } from '../quota/file-quota-store.js';
import { emptyQuotaState, type QuotaState } from '../quota/quota-state.js';
import type { AppContext } from './context.js';

/** Returns the quota state of the account in use. It is empty if no request could be sent. */
export async function findLastQuota(context: AppContext): Promise<QuotaState> {
  const { runtime, settings, config } = context;
  const { baseUrl, key, problem } = await config.account();
  if (!key || problem) return emptyQuotaState;
  const origin = baseUrl === undefined ? sandboxOrigin : config.parseBaseUrl(baseUrl).origin;
  const account = hashAccount(origin, key);
  const local = openFileQuotaStore(config.paths.quota, account, createLocks(runtime), () => {});
  if (!settings.quotaStore || baseUrl === undefined) return local.find();
  const { openSharedQuotaStore } = await import('./shared-quota-store.js');
  const sharedStore = openSharedQuotaStore(account, local, context);
  try {
    return await sharedStore.find();
  } finally {
    sharedStore.close();
  }
}
