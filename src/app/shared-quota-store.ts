import { readFileSync, readlinkSync } from 'node:fs';
import { Secret } from '../config/secret.js';
import type { QuotaStore, QuotaStoreHealth } from '../quota/quota-state.js';
import { parseRedisAddress, type RedisAddress } from '../quota/redis-address.js';
import { openRedisConnection, type RedisConnection, RedisError } from '../quota/redis-connection.js';
import { getRedisKey, openRedisQuotaStore, type RedisQuotaStore } from '../quota/redis-quota-store.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** Opens the quota store in the Redis of the settings. It uses the local store while Redis is offline. */
export function openSharedQuotaStore(
  account: string,
  local: QuotaStore,
  { runtime, settings, quota }: AppContext,
): RedisQuotaStore {
  const { clock, random, platform } = runtime;
  const redis = openConnection(settings.quotaStore as Secret, runtime);
  return openRedisQuotaStore({
    redis,
    account,
    local,
    pidNamespace: readPidNamespace(platform) ?? random().toString(36).slice(2),
    clock,
    onOffline: ({ message }) =>
      quota.warnStoreOffline(`the quota is not shared with other machines: ${redis.endpoint} ${message}`),
  });
}

const checkTimeoutMs = 3_000;
/** Lua script that fails if Redis is read-only or out of memory. */
const writeProbe = "return redis.call('SET', KEYS[1], '', 'PX', 1000)";

/** Checks that Redis accepts a script that writes, as every update of the quota state is one. */
export async function checkSharedQuotaStore(
  url: Secret,
  runtime: Pick<Runtime, 'clock' | 'redactor'>,
): Promise<QuotaStoreHealth> {
  const redis = openConnection(url, runtime);
  const { endpoint } = redis;
  const startedAt = runtime.clock.now();
  try {
    await redis.send(['EVAL', writeProbe, '1', getRedisKey('doctor')], checkTimeoutMs);
    return { endpoint, responseMs: Math.max(0, runtime.clock.now() - startedAt) };
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    return { endpoint, problem: error.message };
  } finally {
    redis.close();
  }
}

function openConnection(url: Secret, { clock, redactor }: Pick<Runtime, 'clock' | 'redactor'>): RedisConnection {
  const address = parseRedisAddress(url.reveal()) as RedisAddress;
  redactor.add(new Secret(address.password));
  return openRedisConnection(address, clock);
}

/**
 * Returns an identifier of the PID namespace: the boot id and, in containers, the namespace. Host names are not
 * enough, since several machines may share one. Returns undefined outside Linux.
 */
export function readPidNamespace(platform: string): string | undefined {
  // On Windows, any user can create C:\proc.
  if (platform !== 'linux') return undefined;
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    const namespace = /[0-9]+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return /^[0-9a-f]{8}$/.test(bootId) && namespace ? `${bootId}-${namespace}` : undefined;
  } catch {
    return undefined;
  }
}
