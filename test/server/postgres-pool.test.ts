import { describe, expect, test } from 'vitest';
import { createCircuitBreaker } from '../../src/server/postgres-pool.js';

describe('the circuit breaker', () => {
  const failure = new Error('failed');

  test('allows concurrent attempts until one fails', async () => {
    const attempt = createCircuitBreaker();
    const results = [pending(), pending(), pending()];
    const attempts = results.map(({ promise }) => attempt(() => promise));
    for (const { resolve } of results) resolve('done');
    expect(await Promise.all(attempts)).toEqual(['done', 'done', 'done']);
  });

  test('allows one attempt after a failure; the others wait until it succeeds', async () => {
    const attempt = createCircuitBreaker();
    await expect(attempt(() => Promise.reject(failure))).rejects.toBe(failure);
    const first = pending();
    const probe = attempt(() => first.promise);
    let started = 0;
    const others = [1, 2, 3].map((number) =>
      attempt(async () => {
        started += 1;
        return number;
      }),
    );
    await Promise.resolve();
    expect(started).toBe(0);
    first.resolve('done');
    expect(await probe).toBe('done');
    expect(await Promise.all(others)).toEqual([1, 2, 3]);
  });

  test('rejects the others if the attempt after a failure fails too', async () => {
    const attempt = createCircuitBreaker();
    await expect(attempt(() => Promise.reject(failure))).rejects.toBe(failure);
    const again = new Error('failed again');
    const probe = attempt(() => Promise.reject(again));
    const other = attempt(async () => 'done');
    await expect(probe).rejects.toBe(again);
    await expect(other).rejects.toBe(again);
    expect(await attempt(async () => 'done')).toBe('done');
  });

  test('allows another attempt if the first one after a failure fails too', async () => {
    const attempt = createCircuitBreaker();
    for (let failures = 0; failures < 3; failures += 1) {
      await expect(attempt(() => Promise.reject(failure))).rejects.toBe(failure);
    }
    expect(await attempt(async () => 'done')).toBe('done');
  });
});

function pending() {
  let resolve: (text: string) => void = () => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
