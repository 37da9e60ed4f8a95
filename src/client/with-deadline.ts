import type { Transport } from '../api/http.js';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';

/** Ends a request, its body included, when `left` of its `timeout` is over, both in milliseconds. */
export function withDeadline(
  send: Transport,
  { left, timeout, clock }: { left: number; timeout: number; clock: Clock },
): Transport {
  return async (request, signal) => {
    const settled = new AbortController();
    const deadline = new AbortController();
    clock.sleep(left, settled.signal).then(
      () => deadline.abort(tooLate(timeout, request.origin)),
      () => {},
    );
    try {
      return await send(request, AbortSignal.any([signal, deadline.signal]));
    } finally {
      settled.abort();
    }
  };
}

function tooLate(timeout: number, origin: string): Failure {
  return new Failure('network', {
    code: 'timeout',
    message: `${new URL(origin).host} did not answer within ${timeout / 1000} s`,
    hint: '--timeout gives it longer',
  });
}
