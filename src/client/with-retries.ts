import { type HttpRequest, hasIdempotencyKey } from '../api/http.js';
import type { Clock } from '../clock.js';
import { getKeyTimeLeftMs } from '../quota/idempotency-support.js';
import type { IdempotencySupport } from '../quota/quota-state.js';
import { decideRetry, type RetryDecision } from './decide-retry.js';
import type { Middleware } from './middleware.js';
import { combineOutcomes, isSuccess } from './outcome.js';
import { withDeadline } from './with-deadline.js';

export interface RetryOptions {
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** No attempt starts later than this after the first, without the waits for the quota and those the service named. */
  readonly timeoutMs: number;
  /** The longest wait that the service may name. */
  readonly maxWaitMs: number;
  /** Returns the proof that the service honors idempotency keys. */
  readonly findSupport: () => Promise<IdempotencySupport | undefined>;
  /** Called before a request is sent again; the returned function is called when it is. */
  readonly onRetry: (retry: RetryDecision, retries: number) => () => void | Promise<void>;
}

/** Sends a request again while a retry may succeed and cannot repeat a change. */
export function withRetries({ clock, findSupport, onRetry, ...limits }: RetryOptions): Middleware {
  /** Returns until when the service recognizes the key of a request that was sent first at `startedAt`. */
  const findKeyEnd = async (request: HttpRequest, startedAt: number) => {
    const support = hasIdempotencyKey(request) ? await findSupport() : undefined;
    return support ? startedAt + getKeyTimeLeftMs(support, 0) : 0;
  };
  return (next) => async (request, signal) => {
    const startedAt = clock.now();
    let attempt = await next(request, signal);
    let outcome = attempt;
    let waitedMs = attempt.waitedMs ?? 0;
    for (let retries = 0; !isSuccess(attempt) && !signal.aborted; retries += 1) {
      const repeatableUntil = outcome.effect === 'none' ? undefined : await findKeyEnd(request, startedAt);
      const now = clock.now();
      const elapsedMs = now - startedAt - waitedMs;
      const retry = decideRetry(attempt, { ...limits, repeatableUntil, retries, now, elapsedMs });
      if (!retry) break;
      const stop = onRetry(retry, retries + 1);
      // After an abort, the next attempt sends nothing.
      await clock.sleep(retry.delayMs, signal).catch(() => {});
      await stop();
      const timeoutMs = (repeatableUntil ?? 0) - clock.now();
      const send = repeatableUntil === undefined ? next : withDeadline({ timeoutMs, clock })(next);
      attempt = await send(request, signal);
      waitedMs += (attempt.waitedMs ?? 0) + (retry.waitSource === 'service' ? retry.delayMs : 0);
      outcome = combineOutcomes(outcome, attempt);
    }
    return outcome;
  };
}
