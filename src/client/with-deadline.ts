import type { HttpRequest } from '../api/http.js';
import { type Clock, withTimeout } from '../clock.js';
import { Failure } from '../failure.js';
import type { Middleware } from './middleware.js';

/** Aborts an attempt, its body included, after `timeoutMs`. */
export function withDeadline({ timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock }): Middleware {
  return (next) => (request, signal) => {
    const createReason = () => timeoutFailure(timeoutMs, request);
    return runUntil(timeoutMs, { clock, signal, createReason }, (limited) => next(request, limited));
  };
}

interface DeadlineOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly createReason: () => Error;
}

/** Runs `work` with a signal that is aborted with `signal`, and with `createReason()` after `ms`. */
export function runUntil<Result>(
  ms: number,
  { clock, signal, createReason }: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const working = work(AbortSignal.any([signal, deadline.signal]));
  return withTimeout(working, ms, clock, () => {
    deadline.abort(createReason());
    return working;
  });
}

function timeoutFailure(timeoutMs: number, { origin }: HttpRequest): Failure {
  return new Failure('network', {
    code: 'timeout',
    message: `${new URL(origin).host} did not send a complete response within ${timeoutMs / 1000} s`,
    hint: 'increase --timeout',
  });
}
