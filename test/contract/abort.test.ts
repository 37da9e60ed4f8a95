import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Aborter, createAborter, follow, toAbortSignal } from '../../src/contract/abort.js';

const kinds: Record<string, () => Aborter> = {
  'our own': createAborter,
  'that of Node.js': () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
  },
};

describe.each(Object.entries(kinds))('an aborter (%s)', (_, create) => {
  test('tells each listener once, and keeps its first reason', () => {
    const { signal, abort } = create();
    const listener = vi.fn();
    signal.addEventListener('abort', listener, { once: true });
    signal.addEventListener('abort', listener, { once: true });
    expect(signal.aborted).toBe(false);
    expect(signal.reason).toBeUndefined();
    signal.throwIfAborted();
    abort('first');
    abort('second');
    expect(listener).toHaveBeenCalledOnce();
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe('first');
    expect(() => signal.throwIfAborted()).toThrow('first');
  });

  test('tells nobody who no longer listens, nor who comes too late', () => {
    const { signal, abort } = create();
    const [gone, removed, late] = [vi.fn(), vi.fn(), vi.fn()];
    signal.addEventListener('abort', gone);
    signal.removeEventListener('abort', gone);
    signal.addEventListener('abort', () => {
      signal.removeEventListener('abort', removed);
      signal.addEventListener('abort', late);
    });
    signal.addEventListener('abort', removed);
    abort('now');
    signal.addEventListener('abort', late);
    abort('again');
    for (const listener of [gone, removed, late]) expect(listener).not.toHaveBeenCalled();
  });

  test('has its listeners see that it is aborted', () => {
    const { signal, abort } = create();
    const seen: unknown[] = [];
    signal.addEventListener('abort', () => seen.push(signal.aborted, signal.reason));
    abort('why');
    expect(seen).toEqual([true, 'why']);
  });
});

test('what a listener throws is reported, and the others are called', () => {
  const report = vi.spyOn(globalThis, 'queueMicrotask').mockReturnValue();
  onTestFinished(() => report.mockRestore());
  const { signal, abort } = createAborter();
  const after = vi.fn();
  signal.addEventListener('abort', () => {
    throw new Error('a bug');
  });
  signal.addEventListener('abort', after);
  abort();
  expect(after).toHaveBeenCalledOnce();
  expect(report.mock.calls[0]?.[0]).toThrow('a bug');
});

test('who follows a signal is told its reason, at once where it is aborted, and not once it stops', () => {
  const { signal, abort } = createAborter();
  const [follower, gone, late] = [vi.fn(), vi.fn(), vi.fn()];
  follow(signal, follower);
  follow(signal, gone)();
  expect(follower).not.toHaveBeenCalled();
  abort('why');
  follow(signal, late);
  expect(follower.mock.calls).toEqual([['why']]);
  expect(late.mock.calls).toEqual([['why']]);
  expect(gone).not.toHaveBeenCalled();
});

describe('a signal of Node.js made of another', () => {
  test('is aborted with it', () => {
    const { signal, abort } = createAborter();
    const made = toAbortSignal(signal);
    expect(made).toBeInstanceOf(AbortSignal);
    expect(made.aborted).toBe(false);
    abort('why');
    expect(made.reason).toBe('why');
  });

  test('is aborted at once where that one was', () => {
    const { signal, abort } = createAborter();
    abort('why');
    expect(toAbortSignal(signal)).toMatchObject({ aborted: true, reason: 'why' });
  });
});
