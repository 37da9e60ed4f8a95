import { Failure } from '../../../failure.js';

/** A function that tracks a task and reports its failure. */
export type TrackTask = (task: Promise<void>, onFailure: (failure: Failure) => Promise<void> | void) => void;

/** Returns a function that tracks tasks, and one that waits for them. `onError` gets other errors than failures. */
export function createTaskTracker(onError: (error: unknown) => void) {
  const inFlight = new Set<Promise<void>>();
  const track: TrackTask = (task, onFailure) => {
    const tracked = task
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        return onFailure(error);
      })
      .catch(onError)
      .finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  };
  const waitForTasks = async () => {
    // A task may start another one.
    while (inFlight.size > 0) await Promise.all(inFlight);
  };
  return { track, waitForTasks };
}
