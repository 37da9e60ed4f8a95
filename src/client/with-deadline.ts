import { type Clock, withTimeout } from '../clock.js';
import type { Middleware } from './middleware.js';

/** Aborts an attempt, its body included, after `timeoutMs`. */
export function withDeadline({ timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock }): Middleware {
  return (next) => async (request, signal) => {
    const deadline = new AbortController();
    const sending = next(request, AbortSignal.any([signal, deadline.signal]));
    const outcome = await withTimeout(sending, timeoutMs, clock, () => {
      deadline.abort();
      return sending;
    });
    const isTimedOut = outcome.lost?.kind === 'canceled' && !signal.aborted;
    return isTimedOut ? { ...outcome, lost: { kind: 'timeout', timeoutMs } } : outcome;
  };
}
