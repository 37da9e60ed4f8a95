import type { Effect } from '../failure.js';
import type { HttpRequest, HttpResponse } from './http.js';

/** Status and headers of a response whose body is missing or truncated. */
export type ResponseHead = Omit<HttpResponse, 'body'>;

interface OutcomeFacts {
  /** True if the request may have left; false if not one byte was sent. */
  readonly sent: boolean;
  /** What all attempts of the request together have changed. */
  readonly effect: Effect;
  /** When to retry, if the service or the quota says so. In milliseconds since the Unix epoch, by our clock. */
  readonly retryAt?: number | undefined;
  /** How long the request has waited for the quota, in milliseconds. */
  readonly waitedMs?: number;
}

/** A complete response, or why there is none: an error of the network, or a `Failure` of petstore itself. */
export type Outcome = OutcomeFacts &
  (
    | { readonly response: HttpResponse; readonly lost?: undefined }
    | { readonly lost: Error; readonly response?: ResponseHead | undefined }
  );

/** A function that sends a request and resolves to its outcome. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<Outcome>;
