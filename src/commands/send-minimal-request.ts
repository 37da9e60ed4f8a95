import { listPets } from '../api/operations.js';
import type { Client, RawResult } from '../client/client.js';

/** Requests one pet, without retries and without waiting for the quota. */
export function sendMinimalRequest(client: Client): Promise<RawResult> {
  const target = `${client.basePath}${listPets.path}?limit=1`;
  return client.sendRaw({ method: 'GET', target, headers: {} }, { once: true });
}
