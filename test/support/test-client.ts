import type { HttpRequest, HttpResponse, Transport } from '../../src/api/http.js';
import type { Client } from '../../src/client/client.js';
import { createClient } from '../../src/client/client.js';
import { Failure } from '../../src/failure.js';
import { type FakeClock, fakeClock } from './clock.js';
import { rejectionOf } from './rejection.js';
import { testKey } from './test-store.js';

export interface TestClient {
  readonly client: Client;
  readonly clock: FakeClock;
  /** Every request that was sent. */
  readonly requests: readonly HttpRequest[];
  /** Reported violations of the API spec. */
  readonly schemaViolations: readonly string[];
}

/** Returns a client with the test key on a transport. */
export function createTestClient(
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
  return { client, clock, requests, schemaViolations: oddities };
}

/** Returns a response with this text, or this value as JSON. */
export function createResponse(
  status: number,
  body: unknown = '',
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(text) };
}

/** Returns a transport that sends each of these responses once, in order. */
export function respondWith(...answers: readonly HttpResponse[]): Transport {
  const left = [...answers];
  return async () => {
    const next = left.shift();
    if (!next) throw new Error('the test has no more responses');
    return next;
  };
}

/** Returns the failure that a promise rejects with. */
export function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return rejectionOf(promise, Failure);
}
