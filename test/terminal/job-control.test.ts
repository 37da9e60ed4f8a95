import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { openJobControl } from '../../src/terminal/job-control.js';
import type { ProcessHandle } from '../../src/terminal/signals.js';
import { fakeClock } from '../support/clock.js';
import { waitUntil } from '../support/imports.js';

/** A process whose signals are recorded. It has no terminal. */
function newProcess() {
  const events = new EventEmitter();
  const log: string[] = [];
  const kill = (pid: number, signal: string) => log.push(`${signal} to ${pid}`);
  const host = Object.assign(events, { pid: 7, platform: 'win32', kill }) as unknown as ProcessHandle;
  const clock = fakeClock();
  const jobControl = openJobControl(host, clock);
  const view = (name: string) => ({
    suspend: () => log.push(`suspend ${name}`),
    resume: () => log.push(`resume ${name}`),
  });
  return { host, events, log, clock, jobControl, view };
}

test('views are suspended before the process group stops, and resumed once', async () => {
  const { events, log, jobControl, view } = newProcess();
  const remove = [jobControl.add(view('screen')), jobControl.add(view('prompt'))];
  events.emit('SIGTSTP');
  events.emit('SIGCONT');
  events.emit('SIGCONT');
  await waitUntil(() => log.length >= 5);
  expect(log).toEqual(['suspend prompt', 'suspend screen', 'SIGTSTP to 0', 'resume screen', 'resume prompt']);
  for (const one of remove) one();
  expect([events.listenerCount('SIGTSTP'), events.listenerCount('SIGCONT')]).toEqual([0, 0]);
});

test('a process that cannot be stopped continues', async () => {
  const { events, log, clock, jobControl, view } = newProcess();
  jobControl.add(view('screen'));
  events.emit('SIGTSTP');
  clock.advance(200);
  await waitUntil(() => log.includes('SIGCONT to 7'));
});

test('a process has one job control', () => {
  const { host, clock, jobControl } = newProcess();
  expect(openJobControl(host, clock)).toBe(jobControl);
});

test('a check in the foreground refreshes the size of the terminal', async () => {
  const { events, jobControl } = newProcess();
  let refreshes = 0;
  events.on('SIGWINCH', () => {
    refreshes += 1;
  });
  expect([await jobControl.isForeground(), refreshes]).toEqual([true, 1]);
});
