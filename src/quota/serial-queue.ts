/** A queue that runs one asynchronous task at a time, in the order of the calls. */
export interface SerialQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Resolves after the tasks in the queue have settled. */
  whenIdle(): Promise<unknown>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (task) => {
      const running = last.then(task);
      last = running.catch(() => {});
      return running;
    },
    whenIdle: () => last,
  };
}
