/** Returns a function that runs one asynchronous task at a time, in the order of the calls. */
export function createSerialQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const running = last.then(task);
    last = running.catch(() => {});
    return running;
  };
}
