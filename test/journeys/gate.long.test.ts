import { readdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { bareEnv, binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { countRateLimitedByWindow, startServiceWithShortWindow } from '../support/test-service.js';

const listOne = ['pets', 'list', '--limit', '1', '--json'];

test('twenty processes at a time send 300 requests, and none is ever banned', async () => {
  const { env, timedStatuses: answers } = await startServiceWithShortWindow(20);
  const { home } = newUser();
  const runs = await inLanes(20, 300, () => runOnce(home, env));
  expect(runs.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  for (const { stdout } of runs) expect(JSON.parse(stdout)).toHaveLength(1);
  expect(runs.filter(({ stderr }) => stderr.includes('banned'))).toEqual([]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
  expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  expect(Math.max(0, ...countRateLimitedByWindow(answers))).toBeLessThanOrEqual(1);
  expect(mostAtOnce(runs)).toBeGreaterThanOrEqual(15);
  expect(leftBehind(home)).toEqual([]);
}, 180_000);

/** So few that twenty processes on a small machine ask for more. */
const tight = 5;

test('the same load gets the key banned where the processes have no gate in common', async () => {
  const { env, timedStatuses: answers } = await startServiceWithShortWindow(tight);
  let isBanned = false;
  await inLanes(20, 300, async () => {
    if (isBanned) return;
    const { stderr } = await runOnce(temporaryDirectory(), env);
    isBanned = stderr.includes('"key_banned"');
  });
  expect(isBanned).toBe(true);
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10);
}, 60_000);

test('and with one it does not', async () => {
  const { env, timedStatuses: answers } = await startServiceWithShortWindow(tight);
  const { home } = newUser();
  const runs = await inLanes(20, 20, () => runOnce(home, env));
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(20).fill(0));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(runs.filter(({ stderr }) => stderr.includes('banned'))).toEqual([]);
  expect(Math.max(0, ...countRateLimitedByWindow(answers))).toBeLessThanOrEqual(1);
}, 60_000);

interface Timed {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
  readonly began: number;
  readonly ended: number;
}

async function runOnce(home: string, env: Readonly<Record<string, string>>): Promise<Timed> {
  const began = Date.now();
  const { stdout, stderr, exitCode } = await execa(node, [binary, ...listOne], {
    env: { ...bareEnv(home), ...env },
    extendEnv: false,
    reject: false,
  });
  return { stdout, stderr, exitCode, began, ended: Date.now() };
}

/** Does a piece of work so many times, in lanes that go on side by side. */
async function inLanes<Result>(
  lanes: number,
  times: number,
  work: () => Promise<Result>,
): Promise<readonly Result[]> {
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

function mostAtOnce(runs: readonly Timed[]): number {
  return Math.max(
    ...runs.map(({ began }) => {
      return runs.filter((other) => other.began <= began && began < other.ended).length;
    }),
  );
}

/** Locks and temporary files of the ledger that nobody took away. */
function leftBehind(home: string): readonly string[] {
  const directory = join(home, '.local/state/petstore/quota');
  return readdirSync(directory).filter((name) => !/^[0-9a-f]{32}\.json$/.test(name));
}

const pets = '[{"id":1,"name":"Rex","categoryId":1}]';

interface Arrival {
  readonly at: number;
  readonly answer: (status: number, headers?: Record<string, string>) => void;
}

/** A service whose answers the test gives one by one, or `by` itself at once. */
async function startByHand(by: (arrival: Arrival, number: number) => void = () => {}) {
  const arrivals: Arrival[] = [];
  const server = createServer((_, response) => {
    const arrival = { at: Date.now(), answer: answerOf(response) };
    arrivals.push(arrival);
    by(arrival, arrivals.length);
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

function answerOf(response: ServerResponse): Arrival['answer'] {
  return (status, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 200 ? pets : '{"code":"rate_limited","message":"slow down"}');
  };
}

async function arrivalsOf(arrivals: readonly Arrival[], count: number): Promise<void> {
  while (arrivals.length < count) await systemClock.sleep(5);
}

test('eight processes that start while the service refuses wait, then one asks for all', async () => {
  const { home } = newUser();
  const { env, arrivals } = await startByHand((arrival, number) => {
    if (number === 1) arrival.answer(429, { 'retry-after': '3' });
    if (number > 2) arrival.answer(200);
  });
  const refused = await runOnce(home, { ...env, PETSTORE_MAX_WAIT: '0' });
  expect(refused.exitCode).toBe(6);
  const over = (arrivals[0]?.at ?? 0) + 3_000;
  const running = Promise.all(Array.from({ length: 8 }, () => runOnce(home, env)));
  await arrivalsOf(arrivals, 2);
  expect(arrivals[1]?.at).toBeGreaterThanOrEqual(over);
  // Long enough for all others to come too, if they did not wait for this answer.
  await systemClock.sleep(1_000);
  expect(arrivals).toHaveLength(2);
  arrivals[1]?.answer(200);
  const runs = await running;
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(8).fill(0));
  expect(arrivals).toHaveLength(9);
}, 30_000);

test('eight processes that may not wait say until when, at once, and send nothing', async () => {
  const { home } = newUser();
  const { env, arrivals } = await startByHand((arrival) => {
    arrival.answer(429, { 'retry-after': '3000' });
  });
  const never = { ...env, PETSTORE_MAX_WAIT: '0' };
  await runOnce(home, never);
  const over = (arrivals[0]?.at ?? 0) + 3_000_000;
  const runs = await Promise.all(Array.from({ length: 8 }, () => runOnce(home, never)));
  expect(arrivals).toHaveLength(1);
  for (const { stdout, stderr, exitCode } of runs) {
    const { error } = JSON.parse(stderr);
    expect({ stdout, exitCode, code: error.code }).toEqual({
      stdout: '',
      exitCode: 6,
      code: 'rate_limited',
    });
    expect(Date.parse(error.retryAt)).toBeGreaterThanOrEqual(over);
    expect(Date.parse(error.retryAt)).toBeLessThan(over + 10_000);
  }
}, 30_000);

test('a process that is killed while its request is under way holds no other up', async () => {
  const { home } = newUser();
  const { env, arrivals } = await startByHand((arrival, number) => {
    if (number > 1) arrival.answer(200);
  });
  const child = execa(node, [binary, ...listOne], {
    env: { ...bareEnv(home), ...env },
    extendEnv: false,
    reject: false,
  });
  await arrivalsOf(arrivals, 1);
  const waiting = Array.from({ length: 3 }, () => runOnce(home, env));
  await systemClock.sleep(1_000);
  // Nothing is known of this account yet, so one request goes first, and it hangs.
  expect(arrivals).toHaveLength(1);
  child.kill('SIGKILL');
  await child;
  const killed = Date.now();
  const runs = await Promise.all([...waiting, runOnce(home, env)]);
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  // The answer that never came is waited for no longer; its time would have been half a minute.
  expect(Math.max(...runs.map(({ ended }) => ended)) - killed).toBeLessThan(8_000);
  expect(leftBehind(home)).toEqual([]);
}, 30_000);
