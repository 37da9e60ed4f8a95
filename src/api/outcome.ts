import type { Effect } from '../failure.js';
import type { HttpRequest, HttpResponse } from './http.js';

/** Status and headers of a response whose body is missing, truncated or invalid. */
export type ResponseHead = Omit<HttpResponse, 'body'>;

/** Why a request may not be sent yet. A probe in flight ends with its response, at `endsAt` at the latest. */
export interface Wait {
  readonly reason: 'block' | 'window' | 'leave' | 'probe-in-flight';
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
  /** The extra wait for clock uncertainty and jitter, in milliseconds. */
  readonly marginMs: number;
  /** The limit of the day's quota, if it is used up. */
  readonly dayLimit?: number;
}

/** Why a request has no usable response. */
export type Loss =
  /** An error code of Node.js, undici, `proxy-connection.ts` or `response.ts`. */
  | { readonly kind: 'network'; readonly code: string }
  /** The body of a 2xx response violates the API spec. `problem` follows "the response from <host> …". */
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** The quota would have let the request pass too late. */
  | { readonly kind: 'held-back'; readonly wait: Wait }
  | { readonly kind: 'read-only' }
  /** The signal of the request was aborted. */
  | { readonly kind: 'canceled' };

interface OutcomeFacts {
  /** True if the request may have left; false if not one byte was sent. */
  readonly sent: boolean;
  /** What all attempts of the request together have changed. */
  readonly effect: Effect;
  /** When to retry, if the service or the quota says so. In milliseconds since the Unix epoch, by our clock. */
  readonly retryAt?: number | undefined;
  /** How long the attempt has waited for the quota, in milliseconds. */
  readonly waitedMs?: number;
}

/** A complete response, or why there is none. */
export type Outcome = OutcomeFacts &
  (
    | { readonly response: HttpResponse; readonly lost?: undefined }
    | { readonly lost: Loss; readonly response?: ResponseHead | undefined }
  );

/** A function that sends a request and resolves to its outcome. After an abort of the signal, it sends nothing. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<Outcome>;
