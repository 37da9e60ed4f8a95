import { describe, expect, onTestFinished, test } from 'vitest';
import { type PlanLimits, plans } from '../../src/api/plan.js';
import { type Clock, clockFrom, systemClock } from '../../src/clock.js';
import { startServer } from '../../src/server/start-server.js';
import { newPostgres, programs } from '../support/postgres.js';
import { testKey } from '../support/test-store.js';

const minute = 60_000;

describe.skipIf(programs === undefined)('servers on one PostgreSQL whose clocks differ by 90 s', () => {
  test('allow 60 requests a minute to a key of the Free plan, and agree on the headers', async () => {
    const send = await startServers([clockAhead(0), clockAhead(1.5 * minute), clockAhead(-1.5 * minute)]);
    const begin = Date.now();
    const responses: Response[] = [];
    for (let sent = 0; sent < 69; sent += 1) responses.push(await send(sent % 3));
    // The responses of one minute, even on a slow machine.
    expect(Date.now() - begin).toBeLessThan(minute);
    expect(responses.map(({ status }) => status)).toEqual([...Array(60).fill(200), ...Array(9).fill(429)]);
    expect(responses.slice(0, 60).map(headerOf('x-ratelimit-remaining'))).toEqual(
      Array.from({ length: 60 }, (_, sent) => 59 - sent),
    );
    expect(new Set(responses.map(headerOf('x-ratelimit-reset'))).size).toBe(1);
    for (const response of responses) {
      const reset = headerOf('x-ratelimit-reset')(response) * 1000;
      const date = Date.parse(response.headers.get('date') ?? '');
      expect(Math.abs(date - Date.now())).toBeLessThan(minute);
      expect(reset - date).toBeGreaterThan(0);
      expect(reset - date).toBeLessThanOrEqual(minute + 2_000);
      if (response.status !== 429) continue;
      const retryAt = date + headerOf('retry-after')(response) * 1000;
      expect(Math.abs(retryAt - reset)).toBeLessThan(2_100);
    }
  });

  test('agree on a ban', async () => {
    const send = await startServers([clockAhead(0), clockAhead(1.5 * minute)], { perMinute: 1, perDay: 100 });
    for (let sent = 0; sent < 10; sent += 1) await send(sent % 2);
    for (let sent = 0; sent < 4; sent += 1) {
      const response = await send(sent % 2);
      expect(await response.json()).toMatchObject({ code: 'key_banned' });
      const seconds = headerOf('retry-after')(response);
      expect(seconds).toBeGreaterThan(280);
      expect(seconds).toBeLessThanOrEqual(300);
    }
  });
});

describe.skipIf(programs === undefined)('a simulated time on PostgreSQL', () => {
  test('decides windows, headers and the removal of an operation', async () => {
    const start = Date.UTC(2030, 11, 4, 23, 59, 0);
    const send = await startServers([clockFrom(start, clockAhead(1.5 * minute))], { perMinute: 2, perDay: 100 });
    const responses = [await send(0, '/v1/pets/1'), await send(0), await send(0)];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    for (const response of responses) {
      const date = Date.parse(response.headers.get('date') ?? '');
      expect(date - start).toBeGreaterThanOrEqual(0);
      expect(date - start).toBeLessThan(minute / 2);
      const reset = headerOf('x-ratelimit-reset')(response) * 1000;
      expect(reset - start).toBeGreaterThanOrEqual(minute);
      expect(reset - start).toBeLessThan(1.5 * minute);
    }
    const later = await startServers([clockFrom(Date.UTC(2030, 11, 6), systemClock)]);
    expect((await later(0, '/v1/pets/1')).status).toBe(410);
  });
});

/** Returns a clock of a machine that is wrong by `ms` milliseconds. */
function clockAhead(ms: number): Clock {
  return { now: () => systemClock.now() + ms, sleep: systemClock.sleep };
}

/** Starts a server for each clock on one new database, and returns a function that sends a request to one of them. */
async function startServers(clocks: readonly Clock[], limits: PlanLimits = plans.free) {
  const database = await newPostgres();
  const ports: number[] = [];
  for (const clock of clocks) {
    const { port, close } = await startServer({
      database,
      host: '127.0.0.1',
      port: 0,
      key: testKey,
      limits,
      clock,
      nodeVersion: process.versions.node,
      log: () => {},
      onError: (error) => {
        throw error;
      },
    });
    onTestFinished(close);
    ports.push(port);
  }
  const headers = { authorization: `Bearer ${testKey}` };
  return (server: number, path = '/v1/pets?limit=1') => fetch(`http://127.0.0.1:${ports[server]}${path}`, { headers });
}

function headerOf(name: string): (response: Response) => number {
  return ({ headers }) => Number(headers.get(name));
}
