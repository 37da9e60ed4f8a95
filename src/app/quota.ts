import { sandboxOrigin } from '../config/profile.js';
import type { Target } from '../config/target.js';
import { openFileBackend } from '../quota/file-backend.js';
import { hashAccount, openQuotaStore, type QuotaStore } from '../quota/quota-store.js';
import type { Parts } from './parts.js';

/** Opens the quota state of an account: in the Redis of the settings, else in a file. That of the sandbox is always a file. */
export async function openStore(
  account: string,
  kind: Target['kind'],
  { runtime, settings, config }: Parts,
  warn: (text: string) => void,
): Promise<QuotaStore> {
  if (settings.quotaStore && kind === 'remote') {
    const address = settings.quotaStore;
    runtime.redactor.add(address.password);
    const { openRedisBackend } = await import('../quota/redis-backend.js');
    const backend = openRedisBackend(address, account, runtime.clock);
    const onError = ({ message }: Error) =>
      warn(`the quota is not shared with other machines: ${address.displayUrl} ${message}`);
    return openQuotaStore(backend, { onError });
  }
  const { quota } = config.paths;
  const onError = ({ message }: Error) => warn(`cannot use the quota state in ${quota}: ${message}`);
  return openQuotaStore(openFileBackend(quota, account, runtime.clock), { onError });
}

/** Opens the quota state of the account in use. An account without an API key has none. */
export async function openAccountQuota(parts: Parts): Promise<QuotaStore | undefined> {
  const { config, terminal, onClose } = parts;
  const { baseUrl, key } = await config.account();
  if (!key) return undefined;
  const [kind, origin] =
    baseUrl === undefined
      ? (['sandbox', sandboxOrigin] as const)
      : (['remote', config.parseBaseUrl(baseUrl).origin] as const);
  const store = await openStore(hashAccount(origin, key), kind, parts, terminal.warn);
  onClose(store.close);
  return store;
}
