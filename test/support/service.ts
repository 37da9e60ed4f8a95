import { onTestFinished } from 'vitest';
import type { PlanLimits } from '../../src/api/plan.js';
import type { Clock } from '../../src/clock.js';
import { systemClock } from '../../src/clock.js';
import type { Fault } from '../../src/server/fault-injection.js';
import { startServer } from '../../src/server/start-server.js';

export interface Service {
  readonly baseUrl: string;
  /** What a client needs to reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** The status of every answer, in order. */
  readonly statuses: readonly number[];
  /** The same with the time of each. */
  readonly answers: readonly Answered[];
}

export interface Answered {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  readonly status: number;
}

/** The store over HTTP in this process; it ends with the test. */
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
} = {}): Promise<Service> {
  const statuses: number[] = [];
  const answers: Answered[] = [];
  const serving = await startServer({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    limits,
    clock,
    nodeVersion: process.versions.node,
    onError: (error) => {
      throw error;
    },
    log: (line) => {
      const status = Number(/^\S+ \S+ (\d{3})\b/.exec(line)?.[1]);
      if (!status) return;
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
    answers,
  };
}

/** In milliseconds. */
const briefWindow = 3_000;

/** The store with windows of three seconds in place of a minute. */
export function startBriefly(perWindow: number): Promise<Service> {
  return startService({
    limits: { perMinute: perWindow, perDay: 100_000 },
    minuteMs: briefWindow,
  });
}

/** How many answers refused in each span of a window's length that begins with one. */
export function refusalsByWindow(answers: readonly Answered[]): readonly number[] {
  const refused = answers.filter(({ status }) => status === 429).map(({ at }) => at);
  return refused.map(
    (start) => refused.filter((at) => at >= start && at < start + briefWindow).length,
  );
}
