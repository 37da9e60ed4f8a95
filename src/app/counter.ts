import { Failure } from '../failure.js';
import { RedisError } from '../quota/redis.js';
import type { RedisAddress } from '../quota/redis-address.js';
import { openRedis } from '../quota/redis-connection.js';
import type { Meters } from '../server/limits.js';
import { createRedisMeters } from '../server/redis-meters.js';
import type { Runtime } from './runtime.js';

/** Where requests are counted for all processes that name one Redis; fails (system) where it does not answer. */
export async function openCounter(
  address: RedisAddress,
  { clock, redactor }: Pick<Runtime, 'clock' | 'redactor'>,
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
  return new Failure('system', {
    code: 'limits_unusable',
    message: `${place} ${error.message}`,
    hint: 'check --limits; without it requests are counted in the database',
    cause: error,
  });
}
