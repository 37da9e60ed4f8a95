import type { HttpRequest, HttpResponse, Witness } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import type { Quota } from '../api/rate-limit-headers.js';
import type { Failure } from '../failure.js';
import type { LedgerEntry } from '../quota/ledger.js';

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
export interface RawRequest
  extends Pick<HttpRequest, 'method' | 'target' | 'body' | 'once' | 'otherKey'> {
  /** In addition to the client's own; names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
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

export interface BulkOptions {
  /** Told when the quota makes requests wait, and until when; what it returns is called when that is over. */
  readonly onWait: (until: number) => () => void;
}

export interface Bulk {
  readonly client: Client;
  /** Origin and key, digested. */
  readonly account: string;
  /** What the service last said of the quota. */
  readonly quota: () => Quota | undefined;
}

export interface LiveOptions {
  /**
   * Told when a request waits, until when and what for (`for the quota of sandbox`); what it returns is called when
   * that is over.
   */
  readonly onWait: (until: number, what: string) => () => void;
  /** Told what would be a warning or a trace on stderr. */
  readonly tell?: (text: string) => void;
  /** Ends requests apart from the command; aborted with a `Failure`. */
  readonly signal?: AbortSignal;
  /** A signal of the system is how the command ends. */
  readonly endless?: true;
}

export interface Live {
  readonly client: Client;
  /** What the service is called in a line on the quota. */
  readonly label: string;
  /** What is known of the quota, by whatever process it was learnt. */
  quota(): Promise<LedgerEntry | undefined>;
}
