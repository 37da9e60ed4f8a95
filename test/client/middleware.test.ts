import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/api/outcome.js';
import { compose, type Middleware, withReadOnly } from '../../src/client/middleware.js';
import { completeOutcome, lostOutcome } from '../../src/client/outcome.js';
import { withDeadline } from '../../src/client/with-deadline.js';
import { withSpinner, withTrace } from '../../src/client/with-trace.js';
import { fakeClock } from '../support/clock.js';
import { newResponse, respondWith } from '../support/test-client.js';
import { testKey } from '../support/test-server.js';

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
  ['POST', 0],
  ['DELETE', 0],
  ['get', 0],
])('withReadOnly sends a %s request %i times', async (method, count) => {
  const sent: string[] = [];
  const send: Transport = async (one) => {
    sent.push(one.method);
    return completeOutcome(one, newResponse(200));
  };
  const guarded = withReadOnly(send);
  const { lost } = await guarded({ ...request, method }, never);
  expect(lost).toEqual(count === 1 ? undefined : { kind: 'read-only' });
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
])('a spinner ends when a request %s', async (_, transport) => {
  const calls: string[] = [];
  const start = () => {
    calls.push('started');
    return () => void calls.push('ended');
  };
  const sending = withSpinner(start)(transport)(request, never);
  expect(calls).toEqual(['started']);
  await sending.catch(() => {});
  expect(calls).toEqual(['started', 'ended']);
});

test('a deadline ends the request', async () => {
  const clock = fakeClock();
  const sending = withDeadline({ timeoutMs: 30_000, clock })(untilAborted)(request, never);
  clock.advance(30_000);
  expect((await sending).lost).toEqual({ kind: 'timeout', timeoutMs: 30_000 });
  expect(clock.waits).toEqual([30_000]);
});

test('a deadline aborts nothing after a response', async () => {
  const clock = fakeClock();
  let received: AbortSignal | undefined;
  const send: Transport = async (one, signal) => {
    received = signal;
    return completeOutcome(one, newResponse(200, '[]'));
  };
  await withDeadline({ timeoutMs: 30_000, clock })(send)(request, never);
  clock.advance(60_000);
  await Promise.resolve();
  expect(received?.aborted).toBe(false);
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
    const respondLate: Transport = async (one) => {
      clock.advance(42);
      return completeOutcome(one, response);
    };
    await withTrace((line) => lines.push(line), clock)(respondLate)(request, never);
    expect(lines).toEqual([
      '> GET http://127.0.0.1:4010/v1/pets?limit=1',
      '< 200 in 42 ms  x-ratelimit-remaining: 59  content-type: application/json  link: <a>; rel="next",<b>; rel="last"',
    ]);
  });

  test('shows the request alone if it fails', async () => {
    const lines: string[] = [];
    const lost: Transport = async (one) => lostOutcome(one, { kind: 'network', code: 'ECONNRESET' }, { sent: true });
    await withTrace((line) => lines.push(line), fakeClock())(lost)(request, never);
    expect(lines).toEqual(['> GET http://127.0.0.1:4010/v1/pets?limit=1']);
  });
});

/** Never responds. */
const untilAborted: Transport = (one, signal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(lostOutcome(one, { kind: 'canceled' }, { sent: true })));
  });
