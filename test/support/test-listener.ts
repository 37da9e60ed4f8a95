import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import type { RequestLogEntry } from '../../src/server/format-log-line.js';
import { withHostCheck } from '../../src/server/host-check.js';
import { type ListenerOptions, startListener } from '../../src/server/listener.js';
import type { Respond } from '../../src/server/request-context.js';
import { type FakeClock, fakeClock } from './clock.js';
import { openStore, respondWith } from './test-store.js';

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
  const errors: (readonly [error: unknown, requestId: string])[] = [];
  const { database } = store;
  const onError = (error: unknown, requestId = '') => void errors.push([error, requestId]);
  const listening = await startListener({
    handler: respondWith({ database, clock, onError }, (respond) => wrap({ respond, clock })),
    host: '127.0.0.1',
    port: 0,
    clock,
    ...options,
    log: (entry) => void entries.push(entry),
    onError: (...report) => void errors.push(report),
  });
  onTestFinished(() => listening.close());
  return { port: listening.port, listening, store, clock, entries, errors };
}

/** Wraps a handler with the check of the `Host` header. */
export function checkTestHost({ respond }: Parts<Clock>): Respond {
  return withHostCheck(respond, { host: '127.0.0.1' });
}
