import { createLocks } from '../config/files.js';
import type { Paths } from '../config/paths.js';
import { sandboxOrigin } from '../config/profile.js';
import { parseRedisAddress, type RedisAddress } from '../config/redis-address.js';
import { Secret } from '../config/secret.js';
import type { Settings } from '../config/settings.js';
import type { Target } from '../config/target.js';
import { openFileBackend } from '../quota/file-backend.js';
import { emptyQuotaState, type QuotaState } from '../quota/quota-state.js';
import { hashAccount, openQuotaStore, type QuotaStore } from '../quota/quota-store.js';
import type { CommandTerminal } from './command-terminal.js';
import type { Configuration } from './configuration.js';
import type { Runtime } from './runtime.js';

interface StoreDeps {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly paths: Paths;
}

/** Opens the quota state of an account: in the Redis of the settings, else in a file. That of the sandbox is always a file. */
export async function openStore(
  account: string,
  kind: Target['kind'],
  { runtime, settings, paths }: StoreDeps,
  warn: (text: string) => void,
): Promise<QuotaStore> {
  if (settings.quotaStore && kind === 'remote') {
    const { address, backend } = await openRedis(settings.quotaStore, account, runtime);
    const onError = ({ message }: Error) =>
      warn(`the quota is not shared with other machines: ${address.displayUrl} ${message}`);
    return openQuotaStore(backend, { onError });
  }
  const onError = ({ message }: Error) => warn(`cannot use the quota state in ${paths.quota}: ${message}`);
  return openQuotaStore(openFileBackend(paths.quota, account, createLocks(runtime)), { onError });
}

/** The quota state of the account in use, outside of requests. */
export type QuotaAccess = ReturnType<typeof openQuotaAccess>;

/** Returns functions that open the quota state of the account in use. An account without a key has none. */
export function openQuotaAccess(
  { runtime, settings }: Pick<StoreDeps, 'runtime' | 'settings'>,
  terminal: CommandTerminal,
  config: Configuration,
) {
  /** Runs `work` with the store; returns undefined if no request could be sent. */
  const useStore = async <Result>(warn: (text: string) => void, work: (store: QuotaStore) => Promise<Result>) => {
    const { baseUrl, key, problem } = await config.account();
    if (!key || problem) return undefined;
    const origin = baseUrl === undefined ? sandboxOrigin : config.parseBaseUrl(baseUrl).origin;
    const kind = baseUrl === undefined ? 'sandbox' : 'remote';
    const { paths } = config;
    const store = await openStore(hashAccount(origin, key), kind, { runtime, settings, paths }, warn);
    return work(store).finally(store.close);
  };
  return {
    /** Returns the state; empty if no request could be sent. */
    lastSeen: async (): Promise<QuotaState> =>
      (await useStore(
        () => {},
        (store) => store.read(),
      )) ?? emptyQuotaState,
    /** Deletes the state. */
    reset: () => useStore(terminal.warn, (store) => store.remove()),
  };
}

async function openRedis(url: Secret, account: string, { clock, redactor }: Runtime) {
  const { openRedisBackend } = await import('../quota/redis-backend.js');
  const address = parseRedisAddress(url.reveal()) as RedisAddress;
  redactor.add(new Secret(address.password));
  return { address, backend: openRedisBackend(address, account, clock) };
}
