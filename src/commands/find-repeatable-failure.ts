import type { Client } from '../client/client.js';
import { Failure } from '../failure.js';
import { isKeyStored } from '../quota/idempotency-support.js';

/** The idempotency key of a request that was sent. */
export interface SentKey {
  /** Missing if the request had no key. */
  readonly key: string | undefined;
  /** When the request was begun, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/**
 * Returns the error of a request whose outcome is unknown, if the service still knows its key: the same request with the
 * same key is then carried out at most once. Returns undefined for any other error.
 */
export async function findRepeatableFailure(
  error: unknown,
  { idempotency }: Client,
  { key, startedAt }: SentKey,
  now: number,
): Promise<Failure | undefined> {
  if (!(error instanceof Failure) || error.kind !== 'unknown-outcome' || key === undefined) return undefined;
  const support = await idempotency?.findSupport();
  return support && isKeyStored(support, now - startedAt) ? error : undefined;
}
