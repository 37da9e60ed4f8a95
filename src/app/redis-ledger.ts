import { readFileSync, readlinkSync } from 'node:fs';
import { Secret } from '../config/secret.js';
import type { Ledger, LedgerHealth } from '../quota/ledger.js';
import { parseRedisAddress, type RedisAddress } from '../quota/redis-address.js';
import { openRedisConnection, type RedisConnection, RedisError } from '../quota/redis-connection.js';
import { getRedisKey, openRedisLedger, type RedisLedger } from '../quota/redis-ledger.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** Opens the ledger in the Redis of the settings. It uses the local ledger while Redis is offline. */
export function openSharedLedger(
  account: string,
  local: Ledger,
  { runtime, settings, quota }: AppContext,
): RedisLedger {
  const { clock, random, platform } = runtime;
  const redis = openConnection(settings.ledger as Secret, runtime);
  return openRedisLedger({
    redis,
    account,
    local,
    pidNamespace: readPidNamespace(platform) ?? random().toString(36).slice(2),
    clock,
    onOffline: ({ message }) =>
      quota.warnLedgerOffline(`the quota is not shared with other machines: ${redis.endpoint} ${message}`),
  });
}

const checkTimeoutMs = 3_000;
/** Lua script that fails if Redis is read-only or out of memory. */
const writeProbe = "return redis.call('SET', KEYS[1], '', 'PX', 1000)";

/** Checks that the ledger's Redis accepts a script that writes, as every update of the ledger is one. */
export async function checkSharedLedger(
  url: Secret,
  runtime: Pick<Runtime, 'clock' | 'redactor'>,
): Promise<LedgerHealth> {
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
