import { expect, test, vi } from 'vitest';
import { Failure } from '../../src/ports/failure.js';
import { createRedactor } from '../../src/terminal/redact.js';
import { openSession } from '../../src/wiring/session.js';
import type { World } from '../../src/wiring/world.js';
import { fakeClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/petstore.js';

const closers = vi.hoisted((): (() => Promise<void>)[] => []);

vi.mock('../../src/wiring/sandbox-data.js', () => ({
  openData: async () => ({ close: closers.shift() }),
}));

function newSession() {
  return openSession({}, {
    env: {},
    home: temporaryDirectory(),
    platform: 'linux',
    clock: fakeClock(),
    random: () => 0,
    holder: { pid: process.pid, host: 'test', lives: () => true },
    userId: process.getuid?.(),
    nodeVersion: process.versions.node,
    version: '0.0.0',
    terminal: { redraws: false },
    redactor: createRedactor(),
    signal: AbortSignal.abort(new Failure('cancelled', { code: 'cancelled', message: 'ended' })),
    hold: () => () => {},
  } as unknown as World);
}

test('all that was opened is closed, though one fails, and the first failure is told', async () => {
  const closed: number[] = [];
  const failures = [undefined, new Error('first'), new Error('second'), undefined];
  for (const [index, failure] of failures.entries()) {
    closers.push(async () => {
      closed.push(index);
      if (failure) throw failure;
    });
  }
  const { context, close } = newSession();
  for (const _ of failures) await context.sandbox();
  await expect(close()).rejects.toThrow('first');
  expect(closed).toEqual([0, 1, 2, 3]);
});

test('a signal is no failure of a session that asked no service', async () => {
  await expect(newSession().close()).resolves.toBeUndefined();
});
