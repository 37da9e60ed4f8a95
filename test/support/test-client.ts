import { expect } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/api/http.js';
import type { Transport } from '../../src/api/outcome.js';
import { type Client, type ClientOptions, createClient } from '../../src/client/client.js';
import { compose } from '../../src/client/middleware.js';
import { completeOutcome } from '../../src/client/outcome.js';
import type { QuotaPolicy } from '../../src/client/with-quota.js';
import { Failure, usageError } from '../../src/failure.js';
import { formatHint } from '../../src/format/hint.js';
import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import type { QuotaStore } from '../../src/quota/quota-store.js';
import { type FakeClock, fakeClock } from './clock.js';
import { testKey } from './test-server.js';

/** A client and what it did. */
export interface TestClient {
  readonly client: Client;
  readonly clock: FakeClock;
  /** Every request that was sent, and how. */
  readonly requests: readonly HttpRequest[];
  readonly policies: readonly QuotaPolicy[];
  /** Warnings about records that violate the API spec. */
  readonly warnings: readonly string[];
}

/** What the failures of a service with the profile `store` name. */
export const testService = {
  label: 'store',
  serviceFlags: ['--profile', 'store'],
  keySource: 'PETSTORE_API_KEY',
  maxWaitMs: 60_000,
  createReadOnlyError: () => usageError('read_only', 'profile store is read-only'),
};

/** Opens a client over any transport, with the test key. */
export function createTestClient(
  send: Transport,
  {
    origin = 'https://store.example',
    clock = fakeClock(),
    signal = new AbortController().signal,
    authorization = `Bearer ${testKey}`,
    idempotency = { createKey: () => 'k1', findSupport: async () => undefined },
  }: Partial<Pick<ClientOptions, 'signal' | 'idempotency'>> & {
    readonly origin?: string;
    readonly clock?: FakeClock;
    readonly authorization?: string;
  } = {},
): TestClient {
  const requests: HttpRequest[] = [];
  const policies: QuotaPolicy[] = [];
  const warnings: string[] = [];
  const client = createClient({
    endpoint: { origin, basePath: '/v1', authorization, userAgent: 'petstore/test' },
    open: (policy, inner) => (request, given) => {
      requests.push(request);
      policies.push(policy);
      return compose(inner, send)(request, given);
    },
    clock,
    signal,
    idempotency,
    ...testService,
    onWarning: (text) => warnings.push(text),
  });
  return { client, clock, requests, policies, warnings };
}

/** Returns a response with this text, or this value as JSON. */
export function newResponse(status: number, body: unknown = '', headers: HttpResponse['headers'] = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: new TextEncoder().encode(text) };
}

/** Returns a transport that returns each response once, in order. */
export function respondWith(...responses: readonly HttpResponse[]): Transport {
  const remaining = [...responses];
  return async (request) => {
    const next = remaining.shift();
    if (!next) throw new Error('the test has no more answers');
    return completeOutcome(request, next);
  };
}

/** Returns the failure that a promise rejects with. */
export function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return rejectionOf(promise, Failure);
}

/** Returns the hint of a failure as a person reads it on Linux. */
export function hintOf({ details: { hint } }: Pick<Failure, 'details'>): string | undefined {
  return hint && formatHint(hint);
}

/** Returns the error of this class that a promise rejects with. */
async function rejectionOf<Kind extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => Kind,
): Promise<Kind> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(kind);
  return error as Kind;
}

/** The failure for Ctrl-C. */
export const interrupt = new Failure('canceled', {
  code: 'cancelled',
  message: 'canceled',
  signal: 'SIGINT',
});

/** A quota store in memory. */
export interface TestQuotaStore extends QuotaStore {
  /** The stored state. A test may set it, as another process does. */
  state: QuotaState;
}

/** Returns a store of one account in memory. Several clients can share it. */
export function memoryQuotaStore(state: QuotaState = emptyQuotaState): TestQuotaStore {
  const store: TestQuotaStore = {
    state,
    read: async () => store.state,
    update: async (edit) => {
      const [after, result] = edit(store.state);
      store.state = after;
      return result;
    },
    remove: async () => {
      store.state = emptyQuotaState;
    },
    flush: async () => {},
    close: async () => {},
  };
  return store;
}

/** Runs all pending promise callbacks. No time passes on a fake clock. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}
