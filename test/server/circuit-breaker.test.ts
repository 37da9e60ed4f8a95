import { expect, test } from 'vitest';
import { createCircuitBreaker } from '../../src/server/circuit-breaker.js';

const refusal = new Error('refused');
const failure = new Error('failed');

test('lets everybody try at once, as long as nobody fails', async () => {
  const enter = createCircuitBreaker(() => refusal);
  const tries = [pending(), pending(), pending()];
  const entered = tries.map(({ promise }) => enter(() => promise));
  for (const { resolve } of tries) resolve('done');
  expect(await Promise.all(entered)).toEqual(['done', 'done', 'done']);
});

test('lets one try after a failure, and refuses the others until that one is through', async () => {
  const enter = createCircuitBreaker(() => refusal);
  await expect(enter(() => Promise.reject(failure))).rejects.toBe(failure);
  const probe = pending();
  const entered = enter(() => probe.promise);
  for (let others = 0; others < 3; others += 1) {
    await expect(enter(async () => 'done')).rejects.toBe(refusal);
  }
  probe.resolve('done');
  expect(await entered).toBe('done');
  const again = [enter(async () => 1), enter(async () => 2)];
  expect(await Promise.all(again)).toEqual([1, 2]);
});

test('lets another one try where that one fails too', async () => {
  const enter = createCircuitBreaker(() => refusal);
  for (let tries = 0; tries < 3; tries += 1) {
    await expect(enter(() => Promise.reject(failure))).rejects.toBe(failure);
  }
  expect(await enter(async () => 'done')).toBe('done');
});

function pending() {
  let resolve: (text: string) => void = () => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
