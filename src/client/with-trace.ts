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
    const lines = Object.entries(headers).filter(([name]) => tracedHeaders.test(name));
    const shown = lines.map(([name, value]) => `  ${name}: ${String(value)}`).join('');
    trace(`< ${status} in ${Math.round(clock.now() - startedAt)} ms${shown}`);
    return outcome;
  };
}

const tracedHeaders =
  /^(content-(type|length)|date|link|idempotency-[a-z-]+|retry-after|deprecation|sunset|x-ratelimit-[a-z]+)$/;

/** Calls `start` with the host before each request, and the function that it returns after it. */
export function withSpinner(start: (host: string) => () => void | Promise<void>): Middleware {
  return (next) => async (request, signal) => {
    const end = start(new URL(request.origin).host);
    try {
      return await next(request, signal);
    } finally {
      await end();
    }
  };
}
