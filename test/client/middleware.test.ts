import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/api/http.js';
import {
  compose,
  type Middleware,
  withDeadline,
  withDeferredSignals,
  withReadOnly,
  withTrace,
} from '../../src/client/middleware.js';
import { usageError } from '../../src/failure.js';
import { fakeClock } from '../support/clock.js';
import { newResponse, respondWith } from '../support/test-client.js';
import { testKey } from '../support/test-store.js';

const never = new AbortController().signal;
const request = {
  method: 'GET',
  origin: 'http://127.0.0.1:4010',
  target: '/v1/pets?limit=1',
  headers: { authorization: `Bearer ${testKey}` },
};

test.each([
  ['GET', 1],
  ['HEAD', 1],
  ['OPTIONS', 1],
  ['POST', 0],
  ['PUT', 0],
  ['PATCH', 0],
  ['DELETE', 0],
  ['get', 0],
])('withReadOnly sends a %s request %i times', async (method, count) => {
  const sent: string[] = [];
  const send: Transport = async (one) => {
    sent.push(one.method);
    return newResponse(200);
  };
  const guarded = withReadOnly(() => usageError('read_only', 'read-only'))(send);
  await guarded({ ...request, method }, never).catch(() => {});
  expect(sent).toHaveLength(count);
});

test('the first middleware sees a request first and its response last', async () => {
  const calls: string[] = [];
  const named =
    (name: string): Middleware =>
    (next) =>
    async (sent, signal) => {
      calls.push(`${name} in`);
      const response = await next(sent, signal);
      calls.push(`${name} out`);
      return response;
    };
  await compose([named('a'), named('b')], respondWith(newResponse(200)))(request, never);
  expect(calls).toEqual(['a in', 'b in', 'b out', 'a out']);
});

test.each([
  ['succeeds', respondWith(newResponse(200))],
  ['fails', respondWith()],
])('signals are deferred until a request %s', async (_, transport) => {
  const calls: string[] = [];
  const deferSignals = () => {
    calls.push('deferred');
    return () => void calls.push('released');
  };
  const sending = withDeferredSignals(deferSignals)(transport)(request, never);
  expect(calls).toEqual(['deferred']);
  await sending.catch(() => {});
  expect(calls).toEqual(['deferred', 'released']);
});

describe('a deadline', () => {
  const limit = (send: Transport, clock = fakeClock()) =>
    withDeadline({ leftMs: 30_000, timeoutMs: 30_000, clock })(send);

  test('fails the request with the name of the host', async () => {
    const clock = fakeClock();
    const sending = limit(untilAborted, clock)(request, never);
    clock.advance(29_999);
    clock.advance(1);
    await expect(sending).rejects.toMatchObject({
      kind: 'network',
      message: '127.0.0.1:4010 did not send a complete response within 30 s',
      details: { code: 'timeout', hint: 'increase --timeout' },
    });
    expect(clock.waits).toEqual([30_000]);
  });

  test('aborts nothing after a response', async () => {
    const clock = fakeClock();
    let received: AbortSignal | undefined;
    const send: Transport = async (_, signal) => {
      received = signal;
      return newResponse(200, '[]');
    };
    expect(await limit(send, clock)(request, never)).toEqual(newResponse(200, '[]'));
    clock.advance(60_000);
    await Promise.resolve();
    expect(received?.aborted).toBe(false);
  });

  test('passes other errors on', async () => {
    const send: Transport = () => Promise.reject(new RangeError('mine'));
    await expect(limit(send)(request, never)).rejects.toThrow(RangeError);
  });

  test("passes on the reason of the command's signal", async () => {
    const controller = new AbortController();
    const sending = limit(untilAborted)(request, controller.signal);
    controller.abort(new Error('canceled'));
    await expect(sending).rejects.toThrow('canceled');
  });
});

describe('a trace', () => {
  test('shows request, response and the headers that hold no secret', async () => {
    const lines: string[] = [];
    const response = newResponse(200, '[]', {
      'x-ratelimit-remaining': '59',
      'content-type': 'application/json',
      'set-cookie': 'session=secret',
      'www-authenticate': 'Bearer secret',
      link: ['<a>; rel="next"', '<b>; rel="last"'],
    });
    const clock = fakeClock();
    const respondLate: Transport = async () => {
      clock.advance(42);
      return response;
    };
    await withTrace((line) => lines.push(line), clock)(respondLate)(request, never);
    expect(lines).toEqual([
      '> GET http://127.0.0.1:4010/v1/pets?limit=1',
      '< 200 in 42 ms  content-type: application/json  link: <a>; rel="next",<b>; rel="last"  x-ratelimit-remaining: 59',
    ]);
  });

  test('shows the request alone if it fails', async () => {
    const lines: string[] = [];
    const send = withTrace((line) => lines.push(line), fakeClock())(respondWith());
    await expect(send(request, never)).rejects.toThrow('no more answers');
    expect(lines).toEqual(['> GET http://127.0.0.1:4010/v1/pets?limit=1']);
  });
});

/** Never responds; rejects with the signal's reason. */
const untilAborted: Transport = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
