import { onTestFinished } from 'vitest';
import type { PlanLimits } from '../../src/api/plan.js';
import { type Clock, systemClock } from '../../src/clock.js';
import type { Fault } from '../../src/server/fault-injection.js';
import { startServer } from '../../src/server/start-server.js';

export interface TestService {
  readonly baseUrl: string;
  /** Environment for clients. */
  readonly env: Readonly<Record<string, string>>;
  /** The status of each response. */
  readonly statuses: readonly number[];
  /** The status and time of each response. */
  readonly timedStatuses: readonly TimedStatus[];
}

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
  readonly faults?: readonly Fault[];
  readonly seed?: number;
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
