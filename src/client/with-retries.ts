import { hasIdempotencyKey, isSafeMethod } from '../api/http.js';
import type { Outcome } from '../api/outcome.js';
import type { Clock } from '../clock.js';
import { getKeyTimeLeftMs } from '../quota/idempotency-support.js';
import type { IdempotencySupport } from '../quota/quota-state.js';
import { decideRetry, isFinalSuccess, type RetryDecision } from './decide-retry.js';
import type { Middleware } from './middleware.js';
import { combineOutcomes, unsentOutcome } from './outcome.js';
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
  readonly onRetry: (retry: RetryDecision, retries: number) => () => Promise<void>;
}

/** Sends a request again while a retry may succeed and cannot repeat a change. */
export function withRetries({ clock, findSupport, onRetry, ...limits }: RetryOptions): Middleware {
  return (next) => async (request, signal) => {
    const startedAt = clock.now();
    let namedWaitsMs = 0;
    /** How long the request may still be sent again. */
    const findTimeLeftMs = async () => {
      if (isSafeMethod(request.method)) return Number.POSITIVE_INFINITY;
      const support = hasIdempotencyKey(request) ? await findSupport() : undefined;
      return support ? getKeyTimeLeftMs(support, clock.now() - startedAt) : 0;
    };
    let outcome: Outcome | undefined;
    let timeLeftMs = Number.POSITIVE_INFINITY;
    for (let retries = 0; ; retries += 1) {
      const isUnsettled = outcome !== undefined && outcome.effect !== 'none';
      const attempt = await (isUnsettled
        ? runUntil(timeLeftMs, { clock, signal, createReason: keyExpired }, (limited) => next(request, limited))
        : next(request, signal));
      outcome = outcome ? combineOutcomes(outcome, attempt) : attempt;
      if (signal.aborted || isFinalSuccess(attempt)) return outcome;
      timeLeftMs = await findTimeLeftMs();
      const now = clock.now();
      const retry = decideRetry(attempt, {
        ...limits,
        isRepeatable: timeLeftMs > 0,
        isUnsettled: outcome.effect !== 'none',
        retries,
        elapsedMs: now - startedAt - namedWaitsMs - (outcome.waitedMs ?? 0),
        now,
      });
      // The service must still know the key when the request is sent again.
      if (!retry || (outcome.effect !== 'none' && retry.delayMs >= timeLeftMs)) return outcome;
      timeLeftMs -= retry.delayMs;
      if (retry.waitSource === 'service') namedWaitsMs += retry.delayMs;
      const stop = onRetry(retry, retries + 1);
      try {
        await clock.sleep(retry.delayMs, signal);
      } catch (error) {
        return combineOutcomes(outcome, unsentOutcome(error as Error));
      } finally {
        await stop();
      }
    }
  };
}

function keyExpired(): Error {
  return new Error('the idempotency key has expired');
}
