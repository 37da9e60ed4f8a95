import { readFileSync, readlinkSync } from 'node:fs';
import type { Secret } from '../config/secret.js';
import { keyOf } from '../quota/fleet-entry.js';
import { type FleetLedger, openFleetLedger } from '../quota/fleet-ledger.js';
import type { Ledger, LedgerState } from '../quota/ledger.js';
import { type Redis, RedisError } from '../quota/redis.js';
import { parseRedisAddress, type RedisAddress } from '../quota/redis-address.js';
import { openRedis } from '../quota/redis-connection.js';
import type { AppContext } from './context.js';
import type { Runtime } from './runtime.js';

/** The ledger in the Redis that the settings name, with the local one for when it is away. */
export function openFleet(local: Ledger, { runtime, settings, quota }: AppContext): FleetLedger {
  const { clock, random } = runtime;
  const redis = open(settings.ledger as Secret, runtime);
  return openFleetLedger({
    redis,
    local,
    space: readPidNamespace() ?? random().toString(36).slice(2),
    clock,
    onAway: ({ message }) =>
      quota.warnLedgerOffline(
        `the quota is counted on this machine alone: ${redis.place} ${message}`,
      ),
  });
}

/** Whether the Redis of the ledger answers in time; asks it for what every update of the ledger needs. */
export async function examineFleet(
  url: Secret,
  runtime: Pick<Runtime, 'clock' | 'redactor'>,
): Promise<LedgerState> {
  const redis = open(url, runtime);
  const { place } = redis;
  const begin = runtime.clock.now();
  try {
    await redis.run(proof, [keyOf('doctor')], [], patience);
    return { place, answeredIn: Math.max(0, runtime.clock.now() - begin) };
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    return { place, problem: error.message };
  } finally {
    redis.close();
  }
}

const patience = 3_000;

/** A Redis that may not be written to, or has no room left, says so. */
const proof = "return redis.call('SET', KEYS[1], '', 'PX', 1000)";

function open(url: Secret, { clock, redactor }: Pick<Runtime, 'clock' | 'redactor'>): Redis {
  const address = parseRedisAddress(url.reveal()) as RedisAddress;
  return openRedis(address, { clock, redactor, pause: 0 });
}

/**
 * Returns an identifier of the PID namespace: the boot id and, in containers, the namespace. Host names are
 * not enough, since the hosts of a fleet may share one. Returns `undefined` outside Linux.
 */
export function readPidNamespace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    const namespace = /[0-9]+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return /^[0-9a-f]{8}$/.test(boot) && namespace ? `${boot}-${namespace}` : undefined;
  } catch {
    return undefined;
  }
}
