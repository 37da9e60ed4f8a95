/** In milliseconds. */
export const day = 86_400_000;

/** Time as it is passed around: nothing below `main.ts` reads the machine's clock itself. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
