import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { openJobControl } from '../../src/terminal/job-control.js';
import type { ProcessHandle } from '../../src/terminal/signals.js';
import { fakeClock } from '../support/clock.js';
import { waitUntil } from '../support/imports.js';

/** Returns the events of a process without a terminal, which records its signals and what happens to its view. */
function openView() {
  const events = new EventEmitter();
  const log: string[] = [];
  const kill = (pid: number, signal: string) => log.push(`${signal} to ${pid}`);
  const host = Object.assign(events, { pid: 7, platform: 'win32', kill }) as unknown as ProcessHandle;
  const clock = fakeClock();
  events.on('SIGWINCH', () => log.push('read size'));
  const view = { suspend: () => log.push('suspend'), resume: () => log.push('resume') };
  return { events, log, clock, remove: openJobControl(host, clock).add(view) };
}

test('a view is suspended before the process group stops, and resumed once with the new size', async () => {
  const { events, log, clock, remove } = openView();
  events.emit('SIGTSTP');
  events.emit('SIGCONT');
  events.emit('SIGCONT');
  clock.advance(200);
  await new Promise(setImmediate);
  expect(log).toEqual(['suspend', 'SIGTSTP to 0', 'read size', 'resume']);
  remove();
  expect([events.listenerCount('SIGTSTP'), events.listenerCount('SIGCONT')]).toEqual([0, 0]);
});

test('a process that cannot be stopped shows its view again', async () => {
  const { events, log, clock } = openView();
  events.emit('SIGTSTP');
  clock.advance(200);
  await waitUntil(() => log.includes('resume'));
});
