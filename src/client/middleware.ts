import { type HttpRequest, type HttpResponse, isSafeMethod, type Transport } from '../api/http.js';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import { formatElapsed } from '../format/duration.js';

/** A function that adds behavior to a transport. `src/app/connections.ts` lists the client's middleware. */
export type Middleware = (next: Transport) => Transport;

/** Wraps a transport in middleware: the first entry sees a request first and its response last. */
export function compose(middleware: readonly Middleware[], transport: Transport): Transport {
  return middleware.reduceRight((next, wrap) => wrap(next), transport);
}

/** Rejects requests that may change data (RFC 9110 §9.2.1), before anything is sent. */
export function withReadOnly(createFailure: () => Failure): Middleware {
  return (next) => async (request, signal) => {
    if (!isSafeMethod(request.method)) throw createFailure();
    return next(request, signal);
  };
}

/** Postpones the effect of signals until the request has an outcome. */
export function withDeferredSignals(deferSignals: () => () => void): Middleware {
  return (next) => async (request, signal) => {
    const release = deferSignals();
    try {
      return await next(request, signal);
    } finally {
      release();
    }
  };
}

/** Aborts a request, its body included, after `leftMs`; the message names `timeoutMs`. */
export function withDeadline({
  leftMs,
  timeoutMs,
  clock,
}: {
  readonly leftMs: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
}): Middleware {
  return (next) => async (request, signal) => {
    const settled = new AbortController();
    const deadline = new AbortController();
    clock.sleep(leftMs, settled.signal).then(
      () => deadline.abort(timeoutFailure(timeoutMs, request)),
      () => {},
    );
    try {
      return await next(request, AbortSignal.any([signal, deadline.signal]));
    } finally {
      settled.abort();
    }
  };
}

function timeoutFailure(timeoutMs: number, { origin }: HttpRequest): Failure {
  return new Failure('network', {
    code: 'timeout',
    message: `${new URL(origin).host} did not send a complete response within ${timeoutMs / 1000} s`,
    hint: 'increase --timeout',
  });
}

/** Shows a spinner until the response is complete. */
export function withWaitIndicator(show: (host: string) => () => Promise<void>): Middleware {
  return (next) => async (request, signal) => {
    const hide = show(new URL(request.origin).host);
    try {
      return await next(request, signal);
    } finally {
      await hide();
    }
  };
}

/** Traces each request and response, with its time and only the headers that hold no secret. */
export function withTrace(trace: (line: string) => void, clock: Clock): Middleware {
  return (next) => async (request, signal) => {
    trace(`> ${request.method} ${request.origin}${request.target}`);
    const startedAt = clock.now();
    const response = await next(request, signal);
    trace(`< ${response.status} in ${formatElapsed(clock.now() - startedAt)}${formatTracedHeaders(response)}`);
    return response;
  };
}

const tracedHeaders = [
  'content-type',
  'content-length',
  'date',
  'link',
  'idempotency-key-lifetime',
  'idempotency-replayed',
  'retry-after',
  'deprecation',
  'sunset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

function formatTracedHeaders({ headers }: HttpResponse): string {
  return tracedHeaders
    .filter((name) => headers[name] !== undefined)
    .map((name) => `  ${name}: ${String(headers[name])}`)
    .join('');
}
