import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import type { QuotaStore } from '../../src/quota/quota-store.js';

export interface TestQuotaStore extends QuotaStore {
  /** The stored state. A test may set it, as another process does. */
  state: QuotaState;
}

/** Returns a store of one account in memory. Several clients can share it. */
export function memoryQuotaStore(state: QuotaState = emptyQuotaState): TestQuotaStore {
  const store: TestQuotaStore = {
    state,
    read: async () => store.state,
    update: async (edit) => {
      const [after, result] = edit(store.state);
      store.state = after;
      return result;
    },
    remove: async () => {
      store.state = emptyQuotaState;
    },
    flush: async () => {},
    close: async () => {},
  };
  return store;
}

/** Runs all pending promise callbacks. No time passes on a fake clock. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}
