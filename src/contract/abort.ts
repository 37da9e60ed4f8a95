/**
 * What petstore uses of an `AbortSignal` (dom.spec.whatwg.org/#interface-AbortSignal), and an `AbortSignal` fits. Node.js
 * loads its own when it is first asked for, which takes longer than all that a short command does with it: it is for what
 * takes no other.
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
  /** Calls each listener once, then and there, and reports what one throws; a second reason changes nothing. */
  abort(reason?: unknown): void;
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
      for (const listener of listeners) reporting(listener);
      listeners.clear();
    },
  };
}

/** What a listener throws is nobody's to catch, and keeps no other from being called (dom.spec.whatwg.org/#inner-invoke). */
function reporting(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Calls back with a signal's reason once it is aborted, at once where it is, until what it returns is called. */
export function follow(signal: AbortSignalLike, abort: (reason: unknown) => void): () => void {
  const listener = () => abort(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** A signal of Node.js that is aborted with the given one, for what takes no other, for as long as the given one lasts. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  const controller = new AbortController();
  follow(signal, (reason) => controller.abort(reason));
  return controller.signal;
}
