import type { HttpResponse, Witness } from '../contract/exchange.js';
import type { Operation } from '../contract/operations.js';
import type { Failure } from './failure.js';

/** Thrown where a request would be sent, with what is printed in its place: the command ends there, and well. */
export class InsteadOfSending extends Error {
  override readonly name = 'InsteadOfSending';
  readonly text: string;

  constructor(text: string) {
    super('the request was shown, and not sent');
    this.text = text;
  }
}

/** What is said of a request that would have led to others. */
export const firstPageAlone = 'this is the first page: curl follows no link to the next';

export interface Reply<Output> {
  readonly value: Output;
  /** The answer links to a page that follows. */
  readonly hasNext: boolean;
}

/** A request as a person writes it, to a path below the base URL. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** In addition to the client's own; names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Sent once, and neither waited with for the quota nor repeated. */
  readonly once?: true;
  /** Sent with another key than the account's: what is answered tells nothing of its quota. */
  readonly otherKey?: true;
}

export interface RawReply {
  readonly response: HttpResponse;
  /** What the status means, where it is not success. */
  readonly failure?: Failure;
}

/** Speaks to one service with one key. Every failure is a `Failure`. */
export interface Client {
  call<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    witness?: Witness,
  ): Promise<Reply<Output>>;
  /** What the service answers, whatever it is. */
  raw(request: RawRequest): Promise<RawReply>;
  /** The first page as it was answered and all that follow it; links that lead nowhere fail (service). */
  rawPages(request: RawRequest, first: RawReply): AsyncIterable<RawReply>;
  /** What comes before a path: `/v1`. */
  readonly basePath: string;
  readonly origin: string;
  /**
   * The first page and all that follow it; a page that comes twice is a failure (service). One that could not be
   * had is asked for again by another `next`.
   */
  pages<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
  ): AsyncIterableIterator<Reply<Output>>;
}
