import type { Operation } from '../contract/operations.js';

interface Reply<Output> {
  readonly value: Output;
  /** The answer links to a page that follows. */
  readonly hasNext: boolean;
}

/** Speaks to one service with one key. Every failure is a `Failure`. */
export interface Client {
  call<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Reply<Output>>;
  /** The first page and all that follow it; a page that comes twice is a failure (service). */
  pages<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
  ): AsyncIterable<Reply<Output>>;
}
