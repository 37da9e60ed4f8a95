import { expect, test } from 'vitest';
import { createClosers } from '../../src/app/closers.js';

test('all that was opened is closed, though one fails, and the first failure is told', async () => {
  const closed: number[] = [];
  const { add, closeAll } = createClosers();
  const failures = [undefined, new Error('first'), new Error('second'), undefined];
  for (const [index, failure] of failures.entries()) {
    add(async () => {
      closed.push(index);
      if (failure) throw failure;
    });
  }
  await expect(closeAll()).rejects.toThrow('first');
  expect(closed).toEqual([0, 1, 2, 3]);
});

test('where nothing was opened there is nothing to close', async () => {
  await expect(createClosers().closeAll()).resolves.toBeUndefined();
});
