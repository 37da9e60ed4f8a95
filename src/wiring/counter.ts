import { RedisError } from '../contract/redis.js';
import type { RedisAddress } from '../contract/redis-address.js';
import { Failure } from '../ports/failure.js';
import type { Meters } from '../service/limits.js';
import { createRedisMeters } from '../service/redis-meters.js';
import { openRedis } from './redis.js';
import type { World } from './world.js';

/** Where requests are counted for all processes that name one Redis; fails (machine) where it does not answer. */
export async function openCounter(
  address: RedisAddress,
  { clock, redactor }: Pick<World, 'clock' | 'redactor'>,
): Promise<{ readonly meters: Meters; readonly close: () => void }> {
  const redis = openRedis(address, { clock, redactor, pause: 250 });
  try {
    await redis.send(['PING'], 5_000);
  } catch (error) {
    redis.close();
    throw error instanceof RedisError ? unusable(address, error) : error;
  }
  return { meters: createRedisMeters(redis), close: redis.close };
}

function unusable({ place }: RedisAddress, error: RedisError): Failure {
  return new Failure('machine', {
    code: 'limits_unusable',
    message: `${place} ${error.message}`,
    hint: 'check --limits; without it requests are counted in the database',
    cause: error,
  });
}
