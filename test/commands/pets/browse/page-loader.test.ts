import { expect, test, vi } from 'vitest';
import type { AppContext, Connection } from '../../../../src/app/context.js';
import { createPageLoader } from '../../../../src/commands/pets/browse/page-loader.js';
import type { Wait } from '../../../../src/commands/pets/browse/state.js';
import { emptyLedgerEntry } from '../../../../src/quota/ledger.js';
import { fakeClock } from '../../../support/clock.js';
import { createTestClient, respondWith } from '../../../support/test-client.js';

test('a page that waits to leave half of the quota waits in the background', async () => {
  const clock = fakeClock();
  const { client, requests } = createTestClient(respondWith(), { clock });
  const endsAt = clock.now() + 30_000;
  const window = { startsAt: clock.now(), endsAt, limit: 60, remaining: 1, clockUncertaintyMs: 0 };
  const waits: Wait[] = [];
  const tasks: Promise<void>[] = [];
  const { load, stopLoading } = createPageLoader(
    { clock, settings: { maxWaitMs: 60_000, reserve: 0 } } as unknown as AppContext,
    {
      live: { client, ledgerEntry: async () => ({ ...emptyLedgerEntry, windows: [window] }) } as unknown as Connection,
      signal: new AbortController().signal,
      dispatch: () => {},
      track: (task) => tasks.push(task.catch(() => {})),
      refreshQuota: async () => {},
      showWait: (wait) => {
        waits.push(wait);
        return () => {};
      },
      fail: () => {},
    },
  );
  load({ kind: 'load', status: 'all', isFirstPage: true, isBackground: true });
  await vi.waitFor(() => expect(waits).toHaveLength(1), { timeout: 30_000 });
  stopLoading();
  await Promise.all(tasks);
  expect(waits).toEqual([{ until: endsAt, reason: 'to leave half of the quota', isBackground: true }]);
  expect(requests).toEqual([]);
}, 60_000);
