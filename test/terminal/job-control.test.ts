import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { openJobControl } from '../../src/terminal/job-control.js';
import type { ProcessHandle } from '../../src/terminal/signals.js';
import { fakeClock } from '../support/clock.js';

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
