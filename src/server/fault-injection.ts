import { STATUS_CODES } from 'node:http';
import type { ErrorBody } from '../api/error.js';
import type { HttpResponse } from '../api/http.js';
import type { Clock } from '../clock.js';
import { type RequestHandler, readQuota } from './request-handler.js';
import { jsonResponse, withCommonHeaders } from './responses.js';
import { classifyPath } from './routes.js';
import { createRandom } from './seeded-random.js';
import type { Database } from './sql.js';

/** Failure to inject, so that users can test their scripts. */
export interface Fault {
  /** Status to respond with; `reset` resets the connection before or after the request is handled. */
  readonly kind: number | 'reset';
  /** From 0 to 1. */
  readonly probability: number;
}

export interface FaultInjectionOptions {
  readonly faults: readonly Fault[];
  /** Delay of every response. */
  readonly latencyMs: number;
  /** The same seed injects the same faults into the same sequence of requests. */
  readonly seed: number;
  readonly clock: Clock;
  /** Aborted at shutdown: delayed requests are then reset. */
  readonly signal: AbortSignal;
  readonly database: Database;
}

/** Thrown to reset the connection instead of sending a response. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset';
}

/** Wraps a handler to delay responses and to inject faults, except for public routes such as `/healthz`. */
export function withFaultInjection(
  handler: RequestHandler,
  { faults, latencyMs, seed, clock, signal, database }: FaultInjectionOptions,
): RequestHandler {
  const random = createRandom(seed);
  return async (request, address) => {
    const pathKind = classifyPath(request);
    if (pathKind === 'public' || pathKind === 'probe') return handler(request, address);
    const fault = faults.find(({ probability }) => random() < probability);
    const resetsAfterHandling = random() < 0.5;
    if (latencyMs > 0) {
      await clock.sleep(latencyMs, signal).catch(() => {
        throw new ConnectionReset();
      });
    }
    if (fault === undefined) return handler(request, address);
    if (fault.kind === 'reset') {
      if (resetsAfterHandling) await handler(request, address);
      throw new ConnectionReset();
    }
    const quota = await readQuota(database, request, address, clock.now());
    return withCommonHeaders(request, faultResponse(fault.kind), { quota, isOperation: pathKind === 'operation' });
  };
}

function faultResponse(status: number): HttpResponse {
  const body: ErrorBody = {
    code: 'fault',
    message: `${[status, STATUS_CODES[status]].filter(Boolean).join(' ')} (injected fault)`,
    status,
  };
  return jsonResponse(status, body, status === 429 || status === 503 ? { 'retry-after': '1' } : {});
}
