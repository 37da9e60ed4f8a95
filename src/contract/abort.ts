/**
 * What petstore uses of an `AbortSignal` (dom.spec.whatwg.org/#interface-AbortSignal), which is one of these too. Node.js
 * loads its own when it is first asked for, and that takes longer than all that a short command does with it.
 */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** What it was aborted with; nothing before. */
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Aborter {
  readonly signal: AbortSignalLike;
  /** Calls each listener once, then and there; a second reason changes nothing. */
  abort(reason: unknown): void;
}

/** The part of an `AbortController` that petstore uses. */
export function createAborter(): Aborter {
  const listeners = new Set<() => void>();
  let aborted = false;
  let reason: unknown;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      get reason() {
        return reason;
      },
      throwIfAborted: () => {
        if (aborted) throw reason;
      },
      addEventListener: (_, listener) => {
        if (!aborted) listeners.add(listener);
      },
      removeEventListener: (_, listener) => void listeners.delete(listener),
    },
    abort: (given) => {
      if (aborted) return;
      aborted = true;
      reason = given;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}

/** A signal of Node.js that is aborted with the given one, for what takes no other. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
