import { setImmediate as endOfTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { emptyQuotaState } from '../../src/quota/quota-state.js';
import { createUpdateQueue, type WriteState } from '../../src/quota/update-queue.js';
import { countOne } from '../support/quota-store.js';

/** Returns a queue in front of a state in memory. `beforeWrite` runs before each write, with its signal. */
function newQueue(beforeWrite: (signal: AbortSignal | undefined) => Promise<void> = async () => {}) {
  const store = { state: emptyQuotaState, writes: 0 };
  const write: WriteState = async (edit, signal) => {
    await beforeWrite(signal);
    store.writes += 1;
    store.state = edit(store.state);
  };
  return { ...createUpdateQueue(write), store };
}

const range = (length: number) => [...Array(length).keys()];

test('updates that wait share one write, in order', async () => {
  const { update, store } = newQueue();
  expect(await Promise.all(range(20).map(() => countOne({ update })))).toEqual(range(20));
  expect(store).toMatchObject({ writes: 1, state: { seenAt: 20 } });
});

test('updates that arrive during a write share the next one', async () => {
  let go = () => {};
  const opened = new Promise<void>((resolve) => {
    go = resolve;
  });
  let hasStarted = false;
  const { update, store, enqueue } = newQueue(() => {
    hasStarted = true;
    return opened;
  });
  const first = countOne({ update });
  while (!hasStarted) await endOfTurn();
  const later = range(3).map(() => countOne({ update }));
  go();
  expect(await Promise.all([first, ...later])).toEqual(range(4));
  expect(store.writes).toBe(1);
  await Promise.all([countOne({ update }), countOne({ update })]);
  expect(await enqueue(async () => store.writes)).toBe(2);
});

test('an update that runs again returns its last result', async () => {
  const { update } = createUpdateQueue(async (edit) => {
    edit({ ...emptyQuotaState, seenAt: 3 });
    edit({ ...emptyQuotaState, seenAt: 7 });
  });
  expect(await Promise.all([countOne({ update }), countOne({ update })])).toEqual([7, 8]);
});

test('an aborted update changes nothing, and the others are written', async () => {
  const { update, store } = newQueue(async (signal) => signal?.throwIfAborted());
  const aborted = update((state) => [{ ...state, seenAt: 90 }, undefined], AbortSignal.abort(new Error('enough')));
  const counting = countOne({ update });
  await expect(aborted).rejects.toThrow('enough');
  expect(await counting).toBe(0);
  expect(store.state.seenAt).toBe(1);
});
