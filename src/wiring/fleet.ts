import { parseRedisAddress, type RedisAddress } from '../contract/redis-address.js';
import { type FleetLedger, openFleetLedger } from '../local/fleet-ledger.js';
import { findPidSpace } from '../local/pid-space.js';
import type { Ledger } from '../ports/ledger.js';
import { Secret } from '../ports/secret.js';
import { openRedis } from './redis.js';
import type { Surroundings } from './world.js';

/** The ledger in the Redis that the settings name, with the local one for when it is away. */
export function openFleet(
  local: Ledger,
  { world, settings, tellAway }: Pick<Surroundings, 'world' | 'settings' | 'tellAway'>,
): FleetLedger {
  const { clock, random, redactor } = world;
  const address = parseRedisAddress(settings.ledger?.reveal() ?? '') as RedisAddress;
  redactor.add(new Secret(address.password));
  const redis = openRedis(address, { clock, pause: 0 });
  return openFleetLedger({
    redis,
    local,
    space: findPidSpace() ?? random().toString(36).slice(2),
    clock,
    onAway: ({ message }) =>
      tellAway(`the quota is counted on this machine alone: ${redis.place} ${message}`),
  });
}
