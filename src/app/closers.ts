/** What was opened for a command, to be closed when that is over. */
export interface Closers {
  add(close: () => Promise<void>): void;
  /** Closes everything, though one thing fails to close; throws the first failure. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const closers: (() => Promise<void>)[] = [];
  return {
    add: (close) => void closers.push(close),
    closeAll: async () => {
      const closed = await Promise.allSettled(closers.map((close) => close()));
      const failed = closed.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}
