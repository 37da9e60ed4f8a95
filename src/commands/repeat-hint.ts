import type { Client } from '../client/client.js';
import { Failure, type Hint } from '../failure.js';
import { formatDuration } from '../format/duration.js';
import { getKeyTimeLeftMs, isKeyStored } from '../quota/idempotency-support.js';

/** The idempotency key of a request that was sent. */
export interface SentKey {
  readonly key: string;
  /** When the request was begun, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/**
 * Returns the error of a request that may have made a change, with a hint how to repeat the request, if the service still
 * knows its key: the same request with the same key is then carried out at most once. `describe` gets how long the key may
 * be used: `23h 58m`. Returns any other error unchanged.
 */
export async function withRepeatHint<Thrown>(
  error: Thrown,
  { idempotency }: Client,
  { startedAt }: SentKey,
  now: number,
  describe: (timeLeft: string) => Hint,
): Promise<Thrown | Failure> {
  if (!(error instanceof Failure) || (error.details.effect ?? 'none') === 'none') return error;
  const support = await idempotency.findSupport();
  const ageMs = now - startedAt;
  if (!support || !isKeyStored(support, ageMs)) return error;
  const hint = describe(formatDuration(getKeyTimeLeftMs(support, ageMs)));
  return new Failure(error.kind, { ...error.details, hint });
}
