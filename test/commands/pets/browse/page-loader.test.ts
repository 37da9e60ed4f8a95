import { expect, test, vi } from 'vitest';
import type { AppContext, Connection } from '../../../../src/app/context.js';
import { createPageLoader } from '../../../../src/commands/pets/browse/page-loader.js';
import type { BrowseEvent, Wait } from '../../../../src/commands/pets/browse/state.js';
import type { Failure } from '../../../../src/failure.js';
import { emptyQuotaState } from '../../../../src/quota/quota-state.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestClient, newResponse, respondWith } from '../../../support/test-client.js';

/** Opens a loader whose window has this many requests left. */
function open(maxWaitMs: number, remaining = 1) {
  const clock = fakeClock();
  const { client, requests } = createTestClient(respondWith(newResponse(429)), { clock });
  const endsAt = clock.now() + 30_000;
  const window = { startsAt: clock.now(), endsAt, limit: 60, remaining, clockUncertaintyMs: 0 };
  const waits: Wait[] = [];
  const events: BrowseEvent[] = [];
  const tasks: Promise<void>[] = [];
  const context = { clock, runtime: { platform: 'linux' }, settings: { maxWaitMs } };
  const loader = createPageLoader(context as unknown as AppContext, {
    live: { client, quotaState: async () => ({ ...emptyQuotaState, windows: [window] }) } as unknown as Connection,
    signal: new AbortController().signal,
    dispatch: (event) => events.push(event),
    track: (task, onFailure) => {
      tasks.push(task.catch((error: unknown) => onFailure(error as Failure)));
    },
    refreshQuota: async () => {},
    showWait: (wait) => {
      waits.push(wait);
      return () => {};
    },
    fail: () => {},
  });
  return { ...loader, endsAt, requests, waits, events, waitForTasks: () => Promise.all(tasks) };
}

test.each([
  [1, 0, 'for the quota to reset', false],
  [3, 1, 'to leave half of the quota', true],
])(
  'with a remaining quota of %i, loads %i of the pages in the background, then waits',
  async (left, count, reason, canLoadMore) => {
    const { load, stopLoading, endsAt, waits, requests, waitForTasks } = open(60_000, left);
    for (let index = 0; index <= count; index += 1) {
      load({ kind: 'load', status: 'sold', isFirstPage: true, isBackground: true });
    }
    await vi.waitFor(() => expect(waits).toHaveLength(1), { timeout: 30_000 });
    stopLoading();
    await waitForTasks();
    expect(waits).toEqual([{ until: endsAt, reason, background: { status: 'sold', canLoadMore } }]);
    expect(requests).toHaveLength(count);
  },
  60_000,
);

test('the message with one request left names the key that uses it', async () => {
  const { load, events, waitForTasks } = open(1_000, 1);
  load({ kind: 'load', status: 'all', isFirstPage: true, isBackground: true });
  await waitForTasks();
  expect(formatText(events)).toContain('(press Down on the last pet to load one page)');
});

test.each([
  ['a page that the quota stops is a warning', true, 'warning', 0],
  ['a page that the service rejects is an error', false, 'error', 1],
])('%s', async (_, isBackground, severity, count) => {
  const { load, events, requests, waitForTasks } = open(1_000);
  load({ kind: 'load', status: 'all', isFirstPage: true, isBackground });
  await waitForTasks();
  expect(events).toEqual([{ kind: 'loadFailed', status: 'all', text: expect.any(Function), severity }]);
  expect(requests).toHaveLength(count);
});

test.each([
  ['the first page', { isFirstPage: true }, 'press Ctrl-R to retry'],
  ['the first page in the background', { isFirstPage: true, isBackground: true }, 'press Ctrl-R to retry'],
  ['a page in the background', { isFirstPage: false, isBackground: true }, 'press End to retry'],
  ['another page', { isFirstPage: false }, 'press Down on the last pet to retry'],
])('the message about %s that failed names the key that requests it again', async (_, effect, hint) => {
  const { load, events, waitForTasks } = open(60_000, 9);
  load({ kind: 'load', status: 'all', ...effect });
  await waitForTasks();
  expect(formatText(events)).toContain(`(${hint})`);
});

/** Returns the message of the first event. */
function formatText([event]: readonly BrowseEvent[]): string {
  return event?.kind === 'loadFailed' && typeof event.text === 'function' ? event.text(0) : '';
}
