import type { HttpRequest, HttpResponse } from '../../src/api/http.js';
import { type PlanLimits, plans } from '../../src/api/plan.js';
import type { Clock } from '../../src/clock.js';
import { parseJson } from '../../src/format/json.js';
import { addApiKey } from '../../src/server/api-keys.js';
import type { Respond, ServerRequest } from '../../src/server/request-context.js';
import { createRequestHandler, type RequestHandlerOptions } from '../../src/server/request-handler.js';
import { completeResponses } from '../../src/server/responses.js';
import { openContext } from '../../src/server/routes.js';
import type { Database } from '../../src/server/sql.js';
import { fakeClock } from './clock.js';
import { sql } from './sql.js';
import { openTestDatabase } from './test-database.js';

export const testKey = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

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
          origin: 'http://127.0.0.1:4010',
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

export async function addPet(database: Database, name: string): Promise<void> {
  await database.write(sql`INSERT INTO pets (name, category_id) VALUES (${name}, 1)`);
}

export async function countPets(database: Database): Promise<number> {
  const [row] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
  return Number(row?.pets);
}
