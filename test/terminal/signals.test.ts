import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { catchSignals, forwardSignals, type ProcessHandle } from '../../src/terminal/signals.js';

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
      return events.emit(signal, signal);
    } catch (error) {
      if (!(error instanceof Left)) throw error;
      return true;
    }
  };
  return { running, ends, send };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s aborts deferred work', (name) => {
  const { running, ends, send } = newProcess();
  const { signal, deferSignals: hold } = catchSignals(running);
  hold();
  expect(send(name)).toBe(true);
  expect(signal.reason).toMatchObject({
    kind: 'canceled',
    message: name === 'SIGINT' ? 'canceled' : `terminated by ${name}`,
  });
  expect(ends).toEqual([]);
});

test('a second signal cleans up and exits at once', () => {
  const { running, ends, send } = newProcess();
  const { deferSignals } = catchSignals(running);
  deferSignals(() => ends.push('cleaned up'));
  deferSignals(() => ends.push('released'))();
  send('SIGINT');
  send('SIGTERM');
  expect(ends).toEqual(['cleaned up', 128 + 15]);
});

test.each(['SIGHUP', 'SIGTERM'])('a SIGHUP after %s does not end the process at once', (first) => {
  const { running, ends, send } = newProcess();
  const { deferSignals } = catchSignals(running);
  deferSignals();
  send(first);
  send('SIGHUP');
  expect(ends).toEqual([]);
  send('SIGTERM');
  expect(ends).toEqual([128 + 15]);
});

test('a second signal after the work has ended still prints the cancellation', () => {
  const { running, ends, send } = newProcess();
  const { deferSignals, ignoreSignals } = catchSignals(running);
  const release = deferSignals();
  send('SIGINT');
  release();
  expect(running.listenerCount('SIGINT')).toBe(1);
  ignoreSignals();
  expect(send('SIGINT')).toBe(true);
  expect(ends).toEqual([]);
});

test('an imported module gets no signals, and other listeners stay', async () => {
  const { running, ends, send } = newProcess();
  const { deferSignals, importWithoutListeners } = catchSignals(running);
  running.on('SIGINT', () => ends.push('earlier'));
  const module = await importWithoutListeners(async () => {
    deferSignals();
    running.once('SIGINT', () => ends.push('module'));
    return 'module';
  });
  expect(module).toBe('module');
  send('SIGINT');
  send('SIGINT');
  expect(ends).toEqual(['earlier', 'earlier', 128 + 2]);
});

test('a signal has its default effect while nothing defers it', () => {
  const { running, send } = newProcess();
  const { signal, deferSignals: hold } = catchSignals(running);
  expect(send('SIGINT')).toBe(false);
  const [one, other] = [hold(), hold()];
  one();
  one();
  expect(running.listenerCount('SIGINT')).toBe(1);
  other();
  expect(send('SIGINT')).toBe(false);
  expect(signal.aborted).toBe(false);
});

test('a pager keeps Ctrl-C and receives other signals before the process', () => {
  const { running, ends, send } = newProcess();
  const release = forwardSignals(running, { kill: (signal) => ends.push(signal) });
  send('SIGINT');
  expect(ends).toEqual([]);
  send('SIGTERM');
  expect(ends).toEqual(['SIGTERM']);
  release();
  expect(ends).toEqual(['SIGTERM', [7, 'SIGTERM']]);
  expect(send('SIGINT')).toBe(false);
});
