/** Work that is done one piece after the other, in the order in which it was asked for. */
export interface SerialQueue {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves once all that was asked for is done, however it ended. */
  whenIdle(): Promise<unknown>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => {
      const working = last.then(work);
      last = working.catch(() => {});
      return working;
    },
    whenIdle: () => last,
  };
}
