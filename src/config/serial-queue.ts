/** Work that is done one piece after the other, in the order in which it was asked for. */
export interface Turns {
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves once all that was asked for is done, however it ended. */
  over(): Promise<unknown>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take: (work) => {
      const working = last.then(work);
      last = working.catch(() => {});
      return working;
    },
    over: () => last,
  };
}
