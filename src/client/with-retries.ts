import { hasIdempotencyKey, isSafeMethod } from '../api/http.js';
import type { Outcome } from '../api/outcome.js';
import type { Clock } from '../clock.js';
import { getKeyTimeLeftMs } from '../quota/idempotency-support.js';
import type { IdempotencySupport } from '../quota/quota-state.js';
import { decideRetry, type RetryDecision } from './decide-retry.js';
import type { Middleware } from './middleware.js';
import { combineOutcomes, isSuccess, unsentOutcome } from './outcome.js';
import { runUntil } from './with-deadline.js';

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
  return (next) => async (request, signal) => {
    const startedAt = clock.now();
    /** Returns until when the request cannot repeat a change. */
    const findRepeatableEnd = async () => {
      if (isSafeMethod(request.method)) return Number.POSITIVE_INFINITY;
      const support = hasIdempotencyKey(request) ? await findSupport() : undefined;
      return support ? startedAt + getKeyTimeLeftMs(support, 0) : 0;
    };
    let namedWaitsMs = 0;
    let outcome = await next(request, signal);
    let attempt: Outcome = outcome;
    for (let retries = 0; !signal.aborted && !isSuccess(attempt); retries += 1) {
      const repeatableEnd = await findRepeatableEnd();
      const now = clock.now();
      const isUnsettled = outcome.effect !== 'none';
      const retry = decideRetry(attempt, {
        ...limits,
        isUnsettled,
        retries,
        now,
        isRepeatable: now < repeatableEnd,
        elapsedMs: now - startedAt - namedWaitsMs - (outcome.waitedMs ?? 0),
      });
      // The service must still know the key when the request is sent again.
      if (!retry || (isUnsettled && now + retry.delayMs >= repeatableEnd)) return outcome;
      if (retry.waitSource === 'service') namedWaitsMs += retry.delayMs;
      const stop = onRetry(retry, retries + 1);
      try {
        await clock.sleep(retry.delayMs, signal);
      } catch (error) {
        return combineOutcomes(outcome, unsentOutcome(error as Error));
      } finally {
        await stop();
      }
      attempt = isUnsettled
        ? await runUntil(repeatableEnd - clock.now(), { clock, signal, createReason: keyExpired }, (limited) =>
            next(request, limited),
          )
        : await next(request, signal);
      outcome = combineOutcomes(outcome, attempt);
    }
    return outcome;
  };
}

function keyExpired(): Error {
  return new Error('the idempotency key has expired');
}
