import { expect, test } from 'vitest';
import { createTaskTracker } from '../../../../src/commands/pets/browse/task-tracker.js';
import { Failure } from '../../../../src/failure.js';

const failure = new Failure('network', { code: 'connection_failed', message: 'no answer' });

test('reports a failure of a task, and any other error', async () => {
  const [failures, errors]: [unknown[], unknown[]] = [[], []];
  const { track, waitForTasks } = createTaskTracker((error) => errors.push(error));
  const bug = new TypeError('of ours');
  for (const reason of [failure, bug]) track(Promise.reject(reason), (reported) => void failures.push(reported));
  await waitForTasks();
  expect({ failures, errors }).toEqual({ failures: [failure], errors: [bug] });
});

test('reports an error of the function that reports a failure', async () => {
  const errors: unknown[] = [];
  const { track, waitForTasks } = createTaskTracker((error) => errors.push(error));
  const bug = new TypeError('of ours');
  track(Promise.reject(failure), () => Promise.reject(bug));
  await waitForTasks();
  expect(errors).toEqual([bug]);
});

test('waits for a task that a task starts', async () => {
  const { track, waitForTasks } = createTaskTracker(() => {});
  let hasEnded = false;
  const second = async () => {
    await new Promise(setImmediate);
    hasEnded = true;
  };
  const first = async () => {
    await Promise.resolve();
    track(second(), () => {});
  };
  track(first(), () => {});
  await waitForTasks();
  expect(hasEnded).toBe(true);
});
