import { listPets } from '../api/operations.js';
import type { Client, RawRequest } from '../client/client.js';

/** The request that costs least, sent whatever is left of the quota. */
export function leastRequest({ basePath }: Client): RawRequest {
  return {
    method: 'GET',
    target: `${basePath}${listPets.path}?limit=1`,
    headers: {},
    noRetry: true,
  };
}
