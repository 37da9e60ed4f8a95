import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import type { AcceptOptions } from '../../src/server/accept-connections.js';
import type { RequestLogEntry } from '../../src/server/format-log-line.js';
import { withHostCheck } from '../../src/server/host-check.js';
import type { RequestHandler } from '../../src/server/request-handler.js';
import { startListener } from '../../src/server/start-listener.js';
import { type FakeClock, fakeClock } from './clock.js';
import { openStore } from './test-store.js';

interface ListenerTestOptions<Time> extends Omit<AcceptOptions, 'clock' | 'log'> {
  readonly clock?: Time;
  readonly port?: number;
}

interface Parts<Time> {
  readonly handle: RequestHandler;
  readonly clock: Time;
}

/** Listens on a free port until the test ends. `wrap` adds middleware. */
export async function startTestListener<Time extends Clock = FakeClock>(
  wrap: (parts: Parts<Time>) => RequestHandler = ({ handle }) => handle,
  { clock = fakeClock() as Clock as Time, port = 0, ...limits }: ListenerTestOptions<Time> = {},
) {
  const store = await openStore({ clock });
  const entries: RequestLogEntry[] = [];
  const errors: (readonly [error: unknown, requestId: string])[] = [];
  const listening = await startListener({
    handler: wrap({ handle: store.handle, clock }),
    host: '127.0.0.1',
    port,
    clock,
    ...limits,
    log: (entry) => void entries.push(entry),
    onError: (...report) => void errors.push(report),
  });
  onTestFinished(() => listening.close());
  return { port: listening.port, listening, store, clock, entries, errors };
}

/** Wraps a handler with the check of the `Host` header. */
export function checkTestHost({ handle }: Parts<Clock>): RequestHandler {
  return withHostCheck(handle, { host: '127.0.0.1', allowedHosts: [] });
}
