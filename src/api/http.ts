/** Header names are lower-case; a header that came more than once is a list, in order. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One HTTP request as plain values, on either end of the wire. */
export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port, without a trailing slash: `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Path and query, as in the request line: `/v1/pets?limit=20`. */
  readonly target: string;
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /** Sent once, and neither waited with for the quota nor repeated. */
  readonly once?: true;
  /** Sent with another key than the account's: what is answered tells nothing of its quota. */
  readonly otherKey?: true;
  readonly witness?: Witness;
}

/** Sees each sending of a request, for a journal; no part of what is sent. */
export interface Witness {
  /** It may leave once this resolves. */
  sending(): Promise<void>;
  /** It was surely not carried out, and is sent again. */
  repeating(): void;
}

/** One HTTP response with its whole body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** When to try again, in milliseconds since the Unix epoch by our clock, where somebody has worked it out. */
  readonly retryAt?: number;
}

/** Carries a request to a service and brings the answer back; rejects when there is none. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** The value of a header, several joined with `, ` (RFC 9110 §5.3); `undefined` when it is missing. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
}

/** True for methods that change nothing (RFC 9110 §9.2.1): they may be sent again. */
export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}
