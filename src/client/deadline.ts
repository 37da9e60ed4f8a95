import { createAborter, follow } from '../contract/abort.js';
import type { Clock } from '../contract/clock.js';
import type { Transport } from '../contract/exchange.js';
import { Failure } from '../ports/failure.js';

/** Ends a request, its body included, when `left` of its `timeout` is over, both in milliseconds. */
export function withDeadline(
  send: Transport,
  { left, timeout, clock }: { left: number; timeout: number; clock: Clock },
): Transport {
  return async (request, signal) => {
    const done = createAborter();
    const ended = createAborter();
    const unfollow = follow(signal, ended.abort);
    clock.sleep(left, done.signal).then(
      () => ended.abort(tooLate(timeout, request.origin)),
      () => {},
    );
    try {
      return await send(request, ended.signal);
    } finally {
      unfollow();
      done.abort();
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
