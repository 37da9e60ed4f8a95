import { createLocks } from '../config/files.js';
import { sandboxOrigin } from '../config/profile.js';
import { parseRedisAddress, type RedisAddress } from '../config/redis-address.js';
import { Secret } from '../config/secret.js';
import type { Target } from '../config/target.js';
import { openFileBackend } from '../quota/file-backend.js';
import { emptyQuotaState } from '../quota/quota-state.js';
import { hashAccount, openQuotaStore, type QuotaStore } from '../quota/quota-store.js';
import type { AppContext, QuotaAccess, QuotaStoreHealth } from './context.js';
import type { Runtime } from './runtime.js';

/** Opens the quota state of an account: in the Redis of the settings, else in a file. That of the sandbox is always a file. */
export async function openStore(
  account: string,
  kind: Target['kind'],
  { runtime, settings, config }: AppContext,
  warn: (text: string) => void,
): Promise<QuotaStore> {
  if (settings.quotaStore && kind === 'remote') {
    const { address, backend } = await openRedis(settings.quotaStore, account, runtime);
    const onError = ({ message }: Error) =>
      warn(`the quota is not shared with other machines: ${address.displayUrl} ${message}`);
    return openQuotaStore(backend, { onError });
  }
  const { quota: directory } = config.paths;
  const onError = ({ message }: Error) => warn(`cannot use the quota state in ${directory}: ${message}`);
  return openQuotaStore(openFileBackend(directory, account, createLocks(runtime)), { onError });
}

/** Opens the access to the quota state of the account in use, outside of requests. */
export function openQuotaAccess(context: AppContext): QuotaAccess {
  return {
    lastSeen: async () => {
      await context.connections.flushQuota();
      return (
        (await useStore(
          context,
          () => {},
          (store) => store.read(),
        )) ?? emptyQuotaState
      );
    },
    reset: async () => {
      await useStore(context, context.terminal.warn, (store) => store.remove());
    },
    checkStore: async () => {
      const { quotaStore } = context.settings;
      return quotaStore ? checkRedis(quotaStore, context.runtime) : undefined;
    },
  };
}

/** Runs `work` with the quota state of the account in use; returns undefined if no request could be sent. */
async function useStore<Result>(
  context: AppContext,
  warn: (text: string) => void,
  work: (store: QuotaStore) => Promise<Result>,
): Promise<Result | undefined> {
  const { config } = context;
  const { baseUrl, key, problem } = await config.account();
  if (!key || problem) return undefined;
  const origin = baseUrl === undefined ? sandboxOrigin : config.parseBaseUrl(baseUrl).origin;
  const kind = baseUrl === undefined ? 'sandbox' : 'remote';
  const store = await openStore(hashAccount(origin, key), kind, context, warn);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Checks that Redis accepts updates of the quota state. */
async function checkRedis(url: Secret, runtime: Runtime): Promise<QuotaStoreHealth> {
  const { address, backend } = await openRedis(url, 'doctor', runtime);
  const endpoint = address.displayUrl;
  const startedAt = runtime.clock.now();
  try {
    await backend.probe();
    return { endpoint, responseMs: Math.max(0, runtime.clock.now() - startedAt) };
  } catch (error) {
    return { endpoint, problem: (error as Error).message };
  } finally {
    await backend.close?.();
  }
}

async function openRedis(url: Secret, account: string, { clock, redactor }: Runtime) {
  const { openRedisBackend } = await import('../quota/redis-backend.js');
  const address = parseRedisAddress(url.reveal()) as RedisAddress;
  redactor.add(new Secret(address.password));
  return { address, backend: openRedisBackend(address, account, clock) };
}
