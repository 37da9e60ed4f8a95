import type { Secret } from '../config/secret.js';
import { sha256Hex } from '../format/sha256.js';

/** Returns the name of an account in the quota store: a digest, which reveals neither origin nor API key. */
export function hashAccount(origin: string, apiKey: Secret): string {
  return sha256Hex(`${origin}\n${apiKey.reveal()}`).slice(0, 32);
}
