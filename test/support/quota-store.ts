import { emptyQuotaState, type QuotaState, type QuotaStore } from '../../src/quota/quota-state.js';

export interface TestQuotaStore extends QuotaStore {
  /** The stored state. A test may set it, as another process does. */
  state: QuotaState;
  /** The names of ended processes. */
  readonly ended: Set<string>;
}

/** Returns a store of one account in memory. Several gates can share it. */
export function memoryQuotaStore(state: QuotaState = emptyQuotaState): TestQuotaStore {
  const ended = new Set<string>();
  const store: TestQuotaStore = {
    owner: '1 here',
    state,
    ended,
    hasEnded: (owner) => ended.has(owner),
    find: async () => store.state,
    update: async (edit) => {
      const [after, result] = edit(store.state);
      store.state = after;
      return result;
    },
    flush: async () => {},
  };
  return store;
}

/** Runs all pending promise callbacks. No time passes on a fake clock. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}

/** Increments a counter in the state. Resolves to its previous value. */
export function countOne(store: Pick<QuotaStore, 'update'>): Promise<number> {
  return store.update((before) => [{ ...before, seenAt: before.seenAt + 1 }, before.seenAt]);
}
