import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openJobControl } from '../../src/terminal/job-control.js';
import { catchSignals, type ProcessHandle } from '../../src/terminal/signals.js';
import { fakeClock } from '../support/clock.js';

class Left extends Error {}

/** A fake process that records exits and signals. */
function newProcess() {
  const events = new EventEmitter();
  const ends: unknown[] = [];
  const running = Object.assign(events, {
    pid: 7,
    exit: (code: number) => {
      ends.push(code);
      throw new Left();
    },
    kill: (pid: number, signal: string) => ends.push([pid, signal]),
    stderr: {},
  }) as unknown as ProcessHandle & NodeJS.Process;
  const send = (signal: string) => {
    try {
      events.emit(signal, signal);
    } catch (error) {
      if (!(error instanceof Left)) throw error;
    }
  };
  const clock = fakeClock();
  return { running, ends, send, clock, ...catchSignals(running, clock) };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('the first %s aborts the work', (name) => {
  const { signal, ends, send } = newProcess();
  send(name);
  expect(signal.reason).toMatchObject({
    kind: 'canceled',
    message: name === 'SIGINT' ? 'canceled' : `terminated by ${name}`,
  });
  expect(ends).toEqual([]);
});

test.each(['SIGINT', 'SIGHUP'])('a second signal after %s exits at once, except SIGHUP', (first) => {
  const { ends, send } = newProcess();
  send(first);
  send('SIGHUP');
  expect(ends).toEqual([]);
  send('SIGTERM');
  expect(ends).toEqual([128 + 15]);
});

test('the end is forced two seconds after the work that a signal found held has settled', async () => {
  const { send, clock, holdEnd, forcedEnd } = newProcess();
  let isForced = false;
  forcedEnd.catch(() => {
    isForced = true;
  });
  let release = () => {};
  holdEnd(
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  send('SIGINT');
  clock.advance(2_000);
  await setImmediate();
  expect(isForced).toBe(false);
  release();
  await setImmediate();
  expect(isForced).toBe(false);
  clock.advance(2_000);
  await setImmediate();
  expect(isForced).toBe(true);
});

test('an imported module gets no signals, and other listeners stay', async () => {
  const { running, ends, send, importWithoutListeners } = newProcess();
  running.on('SIGINT', () => ends.push('earlier'));
  const module = await importWithoutListeners(async () => {
    running.once('SIGINT', () => ends.push('module'));
    return 'module';
  });
  expect(module).toBe('module');
  send('SIGINT');
  expect(ends).toEqual(['earlier']);
});

test('a pager keeps Ctrl-C until it ends', () => {
  const { signal, send, leaveInterrupts } = newProcess();
  const release = leaveInterrupts();
  send('SIGINT');
  expect(signal.aborted).toBe(false);
  release();
  send('SIGINT');
  expect(signal.aborted).toBe(true);
});

/** Suspends a process without a terminal, which records its signals. */
function suspend() {
  const events = new EventEmitter();
  const log: string[] = [];
  const kill = (pid: number, signal: string) => log.push(`${signal} to ${pid}`);
  const host = Object.assign(events, { pid: 7, platform: 'win32', kill }) as unknown as ProcessHandle;
  const clock = fakeClock();
  events.on('SIGWINCH', () => log.push('read size'));
  const suspended = openJobControl(host, clock).suspend();
  return { events, log, clock, suspended };
}

test('a process stops with its group, and reads the size of the terminal after fg', async () => {
  const { events, log, suspended } = suspend();
  expect(log).toEqual(['SIGTSTP to 0']);
  events.emit('SIGCONT');
  await suspended;
  expect(log).toEqual(['SIGTSTP to 0', 'read size']);
});

test('a process that cannot be stopped continues', async () => {
  const { clock, suspended } = suspend();
  clock.advance(200);
  await suspended;
});
