import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/api/http.js';
import { type PlanLimits, plans } from '../../src/api/plan.js';
import { type Clock, systemClock } from '../../src/clock.js';
import { parseJson } from '../../src/format/json.js';
import { addApiKey } from '../../src/server/api-keys.js';
import type { RequestLogEntry } from '../../src/server/format-log-line.js';
import { withHostCheck } from '../../src/server/host-check.js';
import { type ListenerOptions, startListener } from '../../src/server/listener.js';
import type { Respond, ServerRequest } from '../../src/server/request-context.js';
import { createRequestHandler, type RequestHandlerOptions } from '../../src/server/request-handler.js';
import { completeResponses } from '../../src/server/responses.js';
import { openContext } from '../../src/server/routes.js';
import type { FaultFlag } from '../../src/server/server-options.js';
import type { Database } from '../../src/server/sql.js';
import { startServer } from '../../src/server/start-server.js';
import { type FakeClock, fakeClock } from './clock.js';
import { openTestDatabase, sql } from './test-database.js';

/** An API key of the test server. */
export const testKey = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

/** The request handler of the server and its database. */
export interface TestStore {
  readonly database: Database;
  readonly handle: RequestHandler;
  /** Responds to requests before they are completed. */
  readonly operate: Respond;
  /** Errors reported by the handler. */
  readonly errors: readonly unknown[];
  /** Sends one request with the test key; `body` is written as JSON. */
  request(
    method: string,
    target: string,
    options?: { body?: unknown; headers?: HttpRequest['headers']; address?: string },
  ): Promise<HttpResponse & { json: unknown }>;
}

/** Responds to a request from an address. */
export type RequestHandler = (request: ServerRequest, address: string) => Promise<HttpResponse>;

/** Returns a function that responds to requests and not to contexts. */
export function handlerOf(respond: Respond): RequestHandler {
  return (request, address) => respond(openContext(request, address));
}

interface HandlerOptions extends RequestHandlerOptions {
  readonly onError: (error: unknown, requestId?: string) => void;
}

/** Returns what responds to requests in the server, without sockets and middleware. */
export function respondWith(options: HandlerOptions, wrap = (respond: Respond): Respond => respond): Respond {
  return completeResponses(wrap(createRequestHandler(options)), options.onError);
}

/** Opens the request handler of the server on a test database, whose methods `change` may replace. */
export async function openStore({
  clock = fakeClock() as Clock,
  limits = plans.enterprise as PlanLimits,
  empty = false,
  change = (): Partial<Database> => ({}),
} = {}): Promise<TestStore> {
  const opened = await openTestDatabase({ clock, empty });
  await addApiKey(opened, testKey, { limits }, clock.now());
  const database = { ...opened, ...change() };
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const operate = createRequestHandler({ database, clock, onError });
  const handle = handlerOf(completeResponses(operate, onError));
  return {
    database,
    handle,
    operate,
    errors,
    request: async (method, target, { body, headers = {}, address = '127.0.0.1' } = {}) => {
      const raw = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await handle(
        {
          method,
          target,
          headers: {
            authorization: `Bearer ${testKey}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: new TextEncoder().encode(raw) }),
        },
        address,
      );
      const text = new TextDecoder().decode(response.body);
      // Pets may have ids beyond the range of exact JavaScript numbers.
      const parse = response.status < 400 ? parseJson : JSON.parse;
      return { ...response, json: text === '' ? undefined : parse(text) };
    },
  };
}

/** Sends one request to a new server with the sample pets. */
export async function requestOnce(...parameters: Parameters<TestStore['request']>): ReturnType<TestStore['request']> {
  return (await openStore()).request(...parameters);
}

/** Adds a pet without a request. */
export async function addPet(database: Database, name: string): Promise<void> {
  await database.write(sql`INSERT INTO pets (name, category_id) VALUES (${name}, 1)`);
}

/** Returns the number of pets. */
export async function countPets(database: Database): Promise<number> {
  const [row] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
  return Number(row?.pets);
}

interface ListenerTestOptions<Time> extends Omit<Partial<ListenerOptions>, 'clock' | 'log'> {
  readonly clock?: Time;
}

interface Parts<Time> {
  readonly respond: Respond;
  readonly clock: Time;
}

/** Listens on a free port until the test ends. `wrap` adds middleware. */
export async function startTestListener<Time extends Clock = FakeClock>(
  wrap: (parts: Parts<Time>) => Respond = ({ respond }) => respond,
  { clock = fakeClock() as Clock as Time, ...options }: ListenerTestOptions<Time> = {},
) {
  const store = await openStore({ clock });
  const entries: RequestLogEntry[] = [];
  const errors: (readonly [error: unknown, requestId: string | undefined])[] = [];
  const { database } = store;
  const onError = (error: unknown, requestId?: string) => void errors.push([error, requestId]);
  const listening = await startListener({
    handler: respondWith({ database, clock, onError }, (respond) => wrap({ respond, clock })),
    host: '127.0.0.1',
    port: 0,
    clock,
    isDraining: () => false,
    ...options,
    log: (entry) => void entries.push(entry),
    onError,
  });
  onTestFinished(() => listening.close());
  return { port: listening.port, listening, store, clock, entries, errors };
}

/** Wraps a handler with the check of the `Host` header. */
export function checkTestHost({ respond }: Parts<Clock>): Respond {
  return withHostCheck(respond, { host: '127.0.0.1' });
}

/** A running server in this process. */
export interface TestService {
  readonly baseUrl: string;
  /** Environment for clients. */
  readonly env: Readonly<Record<string, string>>;
  /** The status of each response. */
  readonly statuses: readonly number[];
  /** The status and time of each response. */
  readonly timedStatuses: readonly TimedStatus[];
}

/** The status of a response, and when it was sent. */
export interface TimedStatus {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  readonly status: number;
}

/** Starts the server in this process and closes it after the test. */
export async function startService({
  limits = { perMinute: 1_000_000, perDay: 100_000_000 },
  clock = systemClock,
  ...options
}: {
  readonly limits?: PlanLimits;
  readonly clock?: Clock;
  readonly fault?: FaultFlag;
  readonly minuteMs?: number;
} = {}): Promise<TestService> {
  const statuses: number[] = [];
  const answers: TimedStatus[] = [];
  const serving = await startServer({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    ...limits,
    clock,
    nodeVersion: process.versions.node,
    onError: (error) => {
      throw error;
    },
    log: (entry) => {
      if (!('status' in entry) || typeof entry.status !== 'number') return;
      const { status } = entry;
      statuses.push(status);
      answers.push({ at: Date.now(), status });
    },
    ...options,
  });
  onTestFinished(() => serving.close());
  const baseUrl = `http://127.0.0.1:${serving.port}/v1`;
  return {
    baseUrl,
    env: { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: serving.newKey as string },
    statuses,
    timedStatuses: answers,
  };
}

const shortWindowMs = 3_000;

/** Starts the server with a window of three seconds instead of a minute. */
export function startServiceWithShortWindow(perWindow: number): Promise<TestService> {
  return startService({
    limits: { perMinute: perWindow, perDay: 100_000 },
    minuteMs: shortWindowMs,
  });
}

/** For each 429, counts the 429s within one window length. */
export function countRateLimitedByWindow(answers: readonly TimedStatus[]): readonly number[] {
  const refused = answers.filter(({ status }) => status === 429).map(({ at }) => at);
  return refused.map((start) => refused.filter((at) => at >= start && at < start + shortWindowMs).length);
}

/** A running server whose responses are changed. */
export interface TamperingServer {
  readonly env: Readonly<Record<string, string>>;
  /** Method and target of each request. */
  readonly requestLines: readonly string[];
}

/** Starts the server with responses that are modified to violate the API spec. */
export async function startTamperingServer(
  change: (answer: HttpResponse, line: string) => HttpResponse,
  clock = { now: () => Date.now(), sleep: async () => {} },
): Promise<TamperingServer> {
  const store = await openStore({ clock });
  const lines: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: target = '', headers } = request;
    lines.push(`${method} ${target}`);
    const exchange = { method, target, headers, body: Buffer.concat(chunks) };
    const answer = change(await store.handle(exchange, '127.0.0.1'), `${method} ${target}`);
    response.writeHead(answer.status, {
      ...(answer.headers as Record<string, string>),
      date: new Date(clock.now()).toUTCString(),
      'content-length': answer.body.length,
    });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.database.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    requestLines: lines,
    env: { PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: testKey },
  };
}
