import type { Secret } from '../config/secret.js';
import { sha256Hex } from '../format/sha256.js';
import { emptyQuotaState, type QuotaState } from './quota-state.js';

type StateEdit = (state: QuotaState) => QuotaState;

/** Where the quota state of one account is kept: a file, or Redis. Its methods reject if it cannot be used. */
export interface QuotaBackend {
  /** Returns an empty state if none is stored. */
  read(): Promise<QuotaState>;
  /** Replaces the state atomically, and returns the new one. May run the edit again. Rejects with the reason of an aborted wait. */
  replace(edit: StateEdit, signal?: AbortSignal): Promise<QuotaState>;
  remove(): Promise<void>;
  close?(): Promise<void>;
}

/** The quota state of one account, shared by the processes of a user or of several machines. */
export interface QuotaStore {
  /** Returns the state after all updates of this process. */
  read(): Promise<QuotaState>;
  /**
   * Changes the state atomically and resolves to the result of `edit`, which may run twice. Rejects only with the reason of
   * `signal`, which may end a wait for other processes. The state is then unchanged.
   */
  update<Result>(edit: (state: QuotaState) => readonly [QuotaState, Result], signal?: AbortSignal): Promise<Result>;
  /** Deletes the state. Rejects if that fails. */
  remove(): Promise<void>;
  /** Resolves after every update is stored. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface QuotaStoreOptions {
  /** Called once if the backend fails. From then on, this process keeps the state in memory. */
  readonly onError: (error: Error) => void;
}

/**
 * Opens a store. Updates that wait in this process share one write, so that an import with many requests in flight does not
 * wait for one write after another.
 */
export function openQuotaStore(backend: QuotaBackend, { onError }: QuotaStoreOptions): QuotaStore {
  let last = emptyQuotaState;
  let isFailed = false;
  const attempt = async (work: () => Promise<QuotaState>, inMemory: () => QuotaState, signal?: AbortSignal) => {
    try {
      if (!isFailed) return await work();
    } catch (error) {
      signal?.throwIfAborted();
      isFailed = true;
      onError(error as Error);
    }
    return inMemory();
  };
  const replace = async (edit: StateEdit, signal?: AbortSignal) => {
    // If the write fails, the state that was read before stays known, and with it a block.
    const editKnown = (state: QuotaState) => {
      last = state;
      return edit(state);
    };
    last = await attempt(
      () => backend.replace(editKnown, signal),
      () => edit(last),
      signal,
    );
  };
  const waiting = new Set<StateEdit>();
  let queue: Promise<unknown> = Promise.resolve();
  const enqueue = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const running = queue.then(task);
    queue = running.catch(() => {});
    return running;
  };
  const replaceAll = async (signal?: AbortSignal) => {
    // Several responses may arrive in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    let edits: readonly StateEdit[] = [];
    try {
      await replace((state) => {
        if (edits.length === 0) edits = [...waiting];
        return edits.reduce((before, edit) => edit(before), state);
      }, signal);
    } finally {
      for (const edit of edits) waiting.delete(edit);
    }
  };
  return {
    read: () =>
      enqueue(async () => {
        last = await attempt(backend.read, () => last);
        return last;
      }),
    update: async (edit, signal) => {
      let result: ReturnType<typeof edit>[1] | undefined;
      const run: StateEdit = (state) => {
        const [after, value] = edit(state);
        result = value;
        return after;
      };
      waiting.add(run);
      await enqueue(async () => {
        if (waiting.has(run)) await replaceAll(signal).finally(() => waiting.delete(run));
      });
      return result as ReturnType<typeof edit>[1];
    },
    remove: () => enqueue(backend.remove),
    flush: () => enqueue(async () => {}),
    close: () => enqueue(async () => backend.close?.()),
  };
}

/** Returns the name of an account in the quota store: a digest, which reveals neither origin nor API key. */
export function hashAccount(origin: string, apiKey: Secret): string {
  return sha256Hex(`${origin}\n${apiKey.reveal()}`).slice(0, 32);
}
