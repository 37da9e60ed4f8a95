import { Failure } from '../../../failure.js';

/** Runs a task that sends requests, and reports its failure. */
export type TrackTask = (task: Promise<void>, onFailure: (failure: Failure) => Promise<void> | void) => void;

/** Returns a function that tracks tasks, and one that waits for them. `onError` gets what is not a failure. */
export function createTaskTracker(onError: (error: unknown) => void) {
  const inFlight = new Set<Promise<void>>();
  const track: TrackTask = (task, onFailure) => {
    const tracked = task
      .catch((error: unknown) => {
        if (error instanceof Failure) return onFailure(error);
        onError(error);
      })
      .finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  };
  return { track, waitForTasks: () => Promise.all(inFlight) };
}
