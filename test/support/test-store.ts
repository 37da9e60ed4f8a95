import type { HttpRequest, HttpResponse } from '../../src/api/http.js';
import { type PlanLimits, plans } from '../../src/api/plan.js';
import type { Clock } from '../../src/clock.js';
import { parseJson } from '../../src/format/json.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { createRequestHandler, type RequestHandler } from '../../src/server/request-handler.js';
import { type Database, sql } from '../../src/server/sql.js';
import { fakeClock } from './clock.js';
import { openTestDatabase } from './test-database.js';

export const testKey = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

export interface TestStore {
  readonly database: Database;
  readonly handle: RequestHandler;
  /** Errors reported by the handler. */
  readonly errors: readonly unknown[];
  /** Sends one request with the test key; `body` is written as JSON. */
  request(
    method: string,
    target: string,
    options?: { body?: unknown; headers?: HttpRequest['headers']; address?: string },
  ): Promise<HttpResponse & { json: unknown }>;
}

/** Opens the request handler of the server on a test database, whose methods `change` may replace. */
export async function openStore({
  clock = fakeClock() as Clock,
  limits = plans.enterprise as PlanLimits,
  empty = false,
  change = (): Partial<Database> => ({}),
} = {}): Promise<TestStore> {
  const opened = await openTestDatabase({ clock, empty });
  await addApiKey(opened, testKey, limits, clock.now());
  const database = { ...opened, ...change() };
  const errors: unknown[] = [];
  const handle = createRequestHandler({ database, clock, onError: (error) => errors.push(error) });
  return {
    database,
    handle,
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
