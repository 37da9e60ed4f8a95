import { readdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { bareEnv, binary, newUser, node } from '../support/petstore.js';
import { countRateLimitedByWindow, startServiceWithShortWindow } from '../support/test-server.js';

const listOne = ['pets', 'list', '--limit', '1', '--json'];

test('twenty concurrent processes send 100 requests without a ban', async () => {
  const { env, timedStatuses: statuses } = await startServiceWithShortWindow(20);
  const { home } = newUser();
  const runs = await inLanes(20, 100, () => runOnce(home, env));
  expect(runs.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  for (const { stdout } of runs) expect(JSON.parse(stdout)).toHaveLength(1);
  expect(runs.filter(({ stderr }) => stderr.includes('banned'))).toEqual([]);
  expect(statuses.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(statuses.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  expect(Math.max(0, ...countRateLimitedByWindow(statuses))).toBeLessThanOrEqual(1);
  expect(countConcurrent(runs)).toBeGreaterThanOrEqual(15);
  expect(temporaryFilesIn(home)).toEqual([]);
}, 180_000);

interface Timed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
  readonly begin: number;
  readonly end: number;
}

async function runOnce(home: string, env: Readonly<Record<string, string>>): Promise<Timed> {
  const begin = Date.now();
  const { stdout, stderr, exitCode } = await execa(node, [binary, ...listOne], {
    env: { ...bareEnv(home), ...env },
    extendEnv: false,
    reject: false,
  });
  return { stdout, stderr, exitCode, begin, end: Date.now() };
}

/** Runs the work this many times, in concurrent lanes. */
async function inLanes<Result>(lanes: number, times: number, work: () => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  let left = times;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      results.push(await work());
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function countConcurrent(runs: readonly Timed[]): number {
  return Math.max(
    ...runs.map(({ begin }) => {
      return runs.filter((other) => other.begin <= begin && begin < other.end).length;
    }),
  );
}

/** Returns the locks and temporary files that remain beside the quota states. */
function temporaryFilesIn(home: string): readonly string[] {
  const directory = join(home, '.local/state/petstore/quota');
  return readdirSync(directory).filter((name) => !/^[0-9a-f]{32}\.json$/.test(name));
}

const pets = '[{"id":1,"name":"Rex","categoryId":1}]';

interface Arrival {
  readonly at: number;
  readonly respond: (status: number, headers?: Record<string, string>) => void;
}

/** Starts a service that passes each request to `onArrival`; the test responds to the others. */
async function startManual(onArrival: (arrival: Arrival, number: number) => void) {
  const arrivals: Arrival[] = [];
  const server = createServer((_, response) => {
    const arrival = { at: Date.now(), respond: responder(response) };
    arrivals.push(arrival);
    onArrival(arrival, arrivals.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const env = {
    PETSTORE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    PETSTORE_API_KEY: 'pets_canary_0123456789',
  };
  return { env, arrivals };
}

function responder(response: ServerResponse): Arrival['respond'] {
  return (status, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 200 ? pets : '{"code":"rate_limited","message":"slow down"}');
  };
}

async function waitForArrivals(arrivals: readonly Arrival[], count: number): Promise<void> {
  while (arrivals.length < count) await systemClock.sleep(5);
}

test('eight processes wait for a block to end, then one of them sends a probe', async () => {
  const { home } = newUser();
  const { env, arrivals } = await startManual((arrival, number) => {
    if (number === 1) arrival.respond(429, { 'retry-after': '3' });
    if (number > 2) arrival.respond(200);
  });
  const limited = await runOnce(home, { ...env, PETSTORE_MAX_WAIT: '0' });
  expect(limited.exitCode).toBe(6);
  const blockEndsAt = (arrivals[0]?.at ?? 0) + 3_000;
  const running = Promise.all(Array.from({ length: 8 }, () => runOnce(home, env)));
  await waitForArrivals(arrivals, 2);
  expect(arrivals[1]?.at).toBeGreaterThanOrEqual(blockEndsAt);
  // Long enough for the others to send requests too, if they did not wait for this response.
  await systemClock.sleep(1_000);
  expect(arrivals).toHaveLength(2);
  arrivals[1]?.respond(200);
  const runs = await running;
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(8).fill(0));
  expect(arrivals).toHaveLength(9);
}, 30_000);

test('a process that is killed during its request delays others only until its timeout', async () => {
  const { home } = newUser();
  const { env: serviceEnv, arrivals } = await startManual((arrival, number) => {
    if (number > 1) arrival.respond(200);
  });
  const env = { ...serviceEnv, PETSTORE_TIMEOUT: '4' };
  const child = execa(node, [binary, ...listOne], {
    env: { ...bareEnv(home), ...env },
    extendEnv: false,
    reject: false,
  });
  await waitForArrivals(arrivals, 1);
  const waiting = Array.from({ length: 3 }, () => runOnce(home, env));
  await systemClock.sleep(1_000);
  // The quota is unknown, so one request is the probe, and it gets no response.
  expect(arrivals).toHaveLength(1);
  child.kill('SIGKILL');
  await child;
  const killed = Date.now();
  const runs = await Promise.all([...waiting, runOnce(home, env)]);
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  // Its permit expires a second after its timeout.
  expect(Math.max(...runs.map(({ end }) => end)) - killed).toBeLessThan(8_000);
  expect(temporaryFilesIn(home)).toEqual([]);
}, 30_000);
