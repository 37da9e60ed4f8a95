import type { HttpRequest, HttpResponse, Transport } from '../../src/api/http.js';
import type { Client } from '../../src/client/client.js';
import { createClient } from '../../src/client/client.js';
import { Failure } from '../../src/failure.js';
import { type FakeClock, fakeClock } from './clock.js';
import { rejectionOf } from './rejection.js';
import { testKey } from './store.js';

export interface TestClient {
  readonly client: Client;
  readonly clock: FakeClock;
  /** Every request that was sent. */
  readonly requests: readonly HttpRequest[];
  /** What was told of records that the interface does not describe so. */
  readonly oddities: readonly string[];
}

/** A client over any transport, with the test key. */
export function clientOver(
  send: Transport,
  {
    origin = 'https://store.example',
    clock = fakeClock(),
    signal = new AbortController().signal,
    authorization = `Bearer ${testKey}`,
  } = {},
): TestClient {
  const requests: HttpRequest[] = [];
  const oddities: string[] = [];
  const client = createClient({
    endpoint: { origin, basePath: '/v1', authorization, userAgent: 'petstore/test' },
    send: (request, given) => {
      requests.push(request);
      return send(request, given);
    },
    clock,
    signal,
    keySource: 'PETSTORE_API_KEY',
    serviceFlags: () => ' --profile store',
    onSchemaViolation: (text) => oddities.push(text),
  });
  return { client, clock, requests, oddities };
}

/** An answer whose body is this text, or this value as JSON. */
export function answer(
  status: number,
  body: unknown = '',
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(text) };
}

/** A transport that gives each of these answers once, in order. */
export function answering(...answers: readonly HttpResponse[]): Transport {
  const left = [...answers];
  return async () => {
    const next = left.shift();
    if (!next) throw new Error('the test has no more answers');
    return next;
  };
}

/** The failure that a promise rejects with. */
export function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return rejectionOf(promise, Failure);
}
