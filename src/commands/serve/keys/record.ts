import type { Limits, Plan } from '../../../api/plan.js';
import type { RedisAddress } from '../../../quota/redis-address.js';

export interface DatabaseOptions {
  readonly database?: string;
}

export interface CountedOptions extends DatabaseOptions {
  readonly limits?: RedisAddress;
}

/** What is shown of a key alike when it is created and when it is listed. */
export function keyRecord(
  prefix: string,
  { plan, limits, label }: { plan: Plan; limits: Limits; label?: string | undefined },
) {
  return { keyPrefix: `${prefix}…`, plan, ...limits, label: label ?? null };
}
