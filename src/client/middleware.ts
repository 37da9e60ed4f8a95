import { isSafeMethod } from '../api/http.js';
import type { Transport } from '../api/outcome.js';
import { lostOutcome } from './outcome.js';

/** A function that adds behavior to a transport. `src/app/connections.ts` lists the client's middleware. */
export type Middleware = (next: Transport) => Transport;

/** Wraps a transport in middleware: the first entry sees a request first and its outcome last. */
export function compose(middleware: readonly Middleware[], transport: Transport): Transport {
  return middleware.reduceRight((next, wrap) => wrap(next), transport);
}

/** Rejects requests that may change data (RFC 9110 §9.2.1), before anything is sent. */
export const withReadOnly: Middleware = (next) => async (request, signal) =>
  isSafeMethod(request.method) ? next(request, signal) : lostOutcome(request, { kind: 'read-only' }, { sent: false });

/** Replaces the signal, so that requests in flight outlast a cancellation for a moment. */
export function withSignal(signal: AbortSignal): Middleware {
  return (next) => (request) => next(request, signal);
}
