import type { ResponseHead } from '../api/outcome.js';
import type { Clock } from '../clock.js';
import type { Middleware } from './middleware.js';

/** Traces each request and response, with its time and only the headers that hold no secret. */
export function withTrace(trace: (line: string) => void, clock: Clock): Middleware {
  return (next) => async (request, signal) => {
    trace(`> ${request.method} ${request.origin}${request.target}`);
    const startedAt = clock.now();
    const outcome = await next(request, signal);
    if (outcome.lost) return outcome;
    const { status, headers } = outcome.response;
    trace(`< ${status} in ${Math.round(clock.now() - startedAt)} ms${formatTracedHeaders(headers)}`);
    return outcome;
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

function formatTracedHeaders(headers: ResponseHead['headers']): string {
  return tracedHeaders
    .filter((name) => headers[name] !== undefined)
    .map((name) => `  ${name}: ${String(headers[name])}`)
    .join('');
}
