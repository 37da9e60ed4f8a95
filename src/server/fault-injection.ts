import { setMaxListeners } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { ErrorBody } from '../api/error.js';
import type { HttpResponse } from '../api/http.js';
import type { Respond } from './request-context.js';
import { ConnectionReset, jsonResponse } from './responses.js';
import type { ServerOptions } from './server-options.js';

export type FaultOptions = Pick<ServerOptions, 'clock' | 'fault' | 'latency' | 'seed'>;

/** Wraps an operation to delay it and to inject faults. `signal` is aborted at shutdown: delayed requests are then reset. */
export function withFaultInjection(
  operate: Respond,
  { fault: { faults, seed: givenSeed } = { faults: [] }, latency = 0, seed = 0, clock }: FaultOptions,
  signal: AbortSignal,
): Respond {
  if (faults.length === 0 && latency === 0) return operate;
  // Each delayed request listens. By default, Node.js prints a warning for more than 10.
  setMaxListeners(0, signal);
  // The same seed injects the same faults into the same sequence of requests.
  const random = createRandom(givenSeed ?? seed);
  return async (context) => {
    const fault = faults.find(({ probability }) => random() < probability);
    const resetsAfterOperation = random() < 0.5;
    if (latency > 0) {
      await clock.sleep(latency, signal).catch(() => {
        throw new ConnectionReset();
      });
    }
    if (fault === undefined) return operate(context);
    if (fault.kind !== 'reset') {
      context.errorCode = faultCode;
      return faultResponse(fault.kind);
    }
    if (resetsAfterOperation) await operate(context).catch(() => {});
    throw new ConnectionReset();
  };
}

const faultCode = 'fault';

function faultResponse(status: number): HttpResponse {
  const reason = [status, STATUS_CODES[status]].filter(Boolean).join(' ');
  const body: ErrorBody = { code: faultCode, message: `${reason} (injected fault)`, status };
  return jsonResponse(status, body, status === 429 || status === 503 ? { 'retry-after': '1' } : {});
}

/** Returns a seeded generator of numbers in [0, 1) (mulberry32); Math.random has no seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
