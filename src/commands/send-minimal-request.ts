import { listPets } from '../api/operations.js';
import type { Client, RawResult } from '../client/client.js';

/** Requests one pet, without retries, and even if no quota remains. */
export function sendMinimalRequest(client: Client): Promise<RawResult> {
  const target = `${client.basePath}${listPets.path}?limit=1`;
  return client.sendRaw({ method: 'GET', target, headers: {}, noRetry: true });
}
