import type { ErrorBody } from '../api/error.js';
import type { HttpRequest, HttpResponse } from '../api/http.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Clock } from '../clock.js';
import type { Fault } from './fault.js';
import type { RequestHandler } from './request-handler.js';
import { jsonResponse, withQuotaHeaders } from './responses.js';
import { isPublicRequest } from './routes.js';

export interface FaultInjectionOptions {
  readonly faults: readonly Fault[];
  /** Milliseconds that every answer takes longer. */
  readonly latencyMs: number;
  /** The same seed makes the same faults, request by request. */
  readonly seed: number;
  readonly clock: Clock;
  /** Aborted when nobody waits for answers any more: what is late then is reset. */
  readonly signal: AbortSignal;
  /** What is left, for answers that the store itself does not give. */
  readonly readQuota: (request: HttpRequest, address: string) => Promise<Required<Quota>>;
}

/** Thrown where the connection is to be reset in place of an answer. */
export class ConnectionReset extends Error {
  override readonly name = 'ConnectionReset';
}

/** A store that fails now and then, as it was told to. */
export function withFaultInjection(
  handle: RequestHandler,
  { faults, latencyMs: latency, seed, clock, signal, readQuota: quotaOf }: FaultInjectionOptions,
): RequestHandler {
  const random = createRandom(seed);
  return async (request, address) => {
    // Whoever watches the store is told the truth.
    if (isPublicRequest(request)) return handle(request, address);
    const fault = faults.find(({ probability }) => random() < probability);
    const isLate = random() < 0.5;
    if (latency > 0) {
      await clock.sleep(latency, signal).catch(() => {
        throw new ConnectionReset();
      });
    }
    if (fault === undefined) return handle(request, address);
    if (fault.kind === 'reset') {
      if (isLate) await handle(request, address);
      throw new ConnectionReset();
    }
    return withQuotaHeaders(request, faultResponse(fault.kind), await quotaOf(request, address));
  };
}

function faultResponse(status: number): HttpResponse {
  const body: ErrorBody = {
    code: 'fault',
    message: 'this store was told to fail now and then',
    status,
  };
  return jsonResponse(status, body, status === 429 || status === 503 ? { 'retry-after': '1' } : {});
}

/** Numbers from 0 up to 1 that follow from the seed alone (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
