import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { withHostCheck } from '../../src/server/host-check.js';
import type { RequestHandler } from '../../src/server/request-handler.js';
import { startListener } from '../../src/server/start-listener.js';
import { type FakeClock, fakeClock } from './clock.js';
import { openStore } from './test-store.js';

interface Parts<Time> {
  readonly handle: RequestHandler;
  readonly clock: Time;
}

/** Listens on a free port until the test ends. `wrap` adds middleware. */
export async function startTestListener<Time extends Clock = FakeClock>(
  wrap: (parts: Parts<Time>) => RequestHandler = ({ handle }) => handle,
  { clock = fakeClock() as Clock as Time, port = 0 } = {},
) {
  const store = await openStore({ clock });
  const lines: string[] = [];
  const listening = await startListener({
    handler: wrap({ handle: store.handle, clock }),
    host: '127.0.0.1',
    port,
    clock,
    log: (line) => lines.push(line),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => listening.close());
  return { port: listening.port, listening, store, lines };
}

/** Wraps a handler with the check of the `Host` header. */
export function checkTestHost({ handle }: Parts<Clock>): RequestHandler {
  return withHostCheck(handle, { host: '127.0.0.1', allowedHosts: [] });
}
