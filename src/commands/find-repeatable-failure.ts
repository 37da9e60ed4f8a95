import type { Client } from '../client/client.js';
import { Failure } from '../failure.js';
import { formatDuration } from '../format/duration.js';
import { getKeyTimeLeftMs, isKeyStored } from '../quota/idempotency-support.js';

/** The idempotency key of a request that was sent. */
export interface SentKey {
  readonly key: string;
  /** When the request was begun, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

export interface RepeatableFailure {
  readonly failure: Failure;
  /** How long the key may still be used: `23h 58m`. */
  readonly timeLeft: string;
}

/**
 * Returns the error of a request that may have made a change, if the service still knows its key: the same request with the
 * same key is then carried out at most once. Returns undefined for any other error.
 */
export async function findRepeatableFailure(
  error: unknown,
  { idempotency }: Client,
  { startedAt }: SentKey,
  now: number,
): Promise<RepeatableFailure | undefined> {
  if (!(error instanceof Failure) || (error.details.effect ?? 'none') === 'none') return undefined;
  const support = await idempotency.findSupport();
  const ageMs = now - startedAt;
  if (!support || !isKeyStored(support, ageMs)) return undefined;
  return { failure: error, timeLeft: formatDuration(getKeyTimeLeftMs(support, ageMs)) };
}
