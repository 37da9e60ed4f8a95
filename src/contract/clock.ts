import type { AbortSignalLike } from './abort.js';

/** In milliseconds. */
export const day = 86_400_000;

/** Time as it is passed around: what is decided by the time goes by this, and never by the machine's own clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
}
