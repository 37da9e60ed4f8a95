import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { QuotaState, QuotaStore } from './quota-state.js';

type StateEdit = (state: QuotaState) => QuotaState;

/** Stores the edited state. May run the edit again. Rejects only with the reason of an aborted signal, before the edit. */
export type WriteState = (edit: StateEdit, signal?: AbortSignal) => Promise<void>;

/**
 * Returns the `update` of a store. Updates that wait in this process share one write, so that an import with many
 * requests in flight does not wait for one write after another. `enqueue` runs a task after all updates before it.
 */
export function createUpdateQueue(write: WriteState) {
  const waiting = new Set<StateEdit>();
  let last: Promise<unknown> = Promise.resolve();
  const enqueue = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const running = last.then(task);
    last = running.catch(() => {});
    return running;
  };
  const writeAll = async (signal?: AbortSignal) => {
    // Several responses may arrive in this turn of the event loop.
    await endOfTurn();
    let edits: readonly StateEdit[] = [];
    try {
      await write((state) => {
        if (edits.length === 0) edits = [...waiting];
        return edits.reduce((before, edit) => edit(before), state);
      }, signal);
    } finally {
      for (const edit of edits) waiting.delete(edit);
    }
  };
  const update: QuotaStore['update'] = async <Result>(
    edit: (state: QuotaState) => readonly [QuotaState, Result],
    signal?: AbortSignal,
  ) => {
    let result: Result | undefined;
    const run: StateEdit = (state) => {
      const [after, value] = edit(state);
      result = value;
      return after;
    };
    waiting.add(run);
    await enqueue(async () => {
      if (waiting.has(run)) await writeAll(signal).finally(() => waiting.delete(run));
    });
    return result as Result;
  };
  return { update, enqueue };
}
