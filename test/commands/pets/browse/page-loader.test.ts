import { expect, test } from 'vitest';
import type { AppContext, Connection } from '../../../../src/app/context.js';
import { completeOutcome, unsentOutcome } from '../../../../src/client/outcome.js';
import { createPageLoader } from '../../../../src/commands/pets/browse/page-loader.js';
import type { BrowseEvent, Wait } from '../../../../src/commands/pets/browse/state.js';
import { Failure } from '../../../../src/failure.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestClient, newResponse, respondWith } from '../../../support/test-client.js';

function open(send = respondWith(newResponse(429))) {
  const clock = fakeClock();
  const { client, requests, policies } = createTestClient(send, { clock });
  const waits: Wait[] = [];
  const events: BrowseEvent[] = [];
  const tasks: Promise<void>[] = [];
  const context = { clock, runtime: { platform: 'linux' } };
  const loader = createPageLoader(context as unknown as AppContext, {
    live: { client, label: 'staging' } as unknown as Connection,
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
  return { ...loader, requests, policies, waits, events, waitForTasks: () => Promise.all(tasks) };
}

test('pages in the background leave half of the quota, also after a stop, until another half is granted', async () => {
  const { load, stopLoading, grantHalfQuota, policies, waitForTasks } = open(async (request) =>
    completeOutcome(request, newResponse(200, '[]')),
  );
  const loadOne = (isBackground: boolean) => load({ kind: 'load', status: 'all', isFirstPage: true, isBackground });
  loadOne(false);
  loadOne(true);
  await waitForTasks();
  stopLoading();
  loadOne(true);
  await waitForTasks();
  grantHalfQuota();
  loadOne(true);
  await waitForTasks();
  const [none, first, second, granted] = policies.map(({ leave }) => leave);
  expect(none).toBeUndefined();
  expect(first).toBeDefined();
  expect(second).toBe(first);
  expect(granted).not.toBe(first);
});

test.each([
  ['leave', 'to leave half of the quota', { background: { status: 'sold', canLoadMore: true } }],
  ['block', 'for the quota of staging', {}],
] as const)('shows a wait in the background because of a %s', async (reason, text, rest) => {
  const { load, policies, waits, waitForTasks } = open();
  load({ kind: 'load', status: 'sold', isFirstPage: true, isBackground: true });
  await waitForTasks();
  policies[0]?.onWait?.({ reason, endsAt: 7, marginMs: 0 });
  expect(waits).toEqual([{ until: 7, reason: text, ...rest }]);
});

const heldBack = new Failure('rate-limited', { code: 'rate_limited', message: 'half of the remaining quota is used' });

test.each([
  ['a page that the quota stops is a warning', async () => unsentOutcome(heldBack), 'warning'],
  ['a page that the service rejects is an error', respondWith(newResponse(429)), 'error'],
])('%s', async (_, send, severity) => {
  const { load, events, waitForTasks } = open(send);
  load({ kind: 'load', status: 'all', isFirstPage: true });
  await waitForTasks();
  expect(events).toEqual([{ kind: 'loadFailed', status: 'all', text: expect.any(Function), severity }]);
});

test.each([
  ['the first page', { isFirstPage: true }, 'press Ctrl-R to retry'],
  ['the first page in the background', { isFirstPage: true, isBackground: true }, 'press Ctrl-R to retry'],
  ['a page in the background', { isFirstPage: false, isBackground: true }, 'press End to retry'],
  ['another page', { isFirstPage: false }, 'press Down on the last pet to retry'],
])('the message about %s that failed names the key that requests it again', async (_, effect, hint) => {
  const { load, events, waitForTasks } = open();
  load({ kind: 'load', status: 'all', ...effect });
  await waitForTasks();
  expect(formatText(events)).toContain(`(${hint})`);
});

/** Returns the message of the first event. */
function formatText([event]: readonly BrowseEvent[]): string {
  return event?.kind === 'loadFailed' && typeof event.text === 'function' ? event.text(0) : '';
}
