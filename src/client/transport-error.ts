import type { HttpResponse } from '../api/http.js';

/** The error of a request without a complete response. `failures.ts` turns it into a message for users. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** The error code of Node.js or undici: `ECONNREFUSED`, `UND_ERR_SOCKET`. */
  readonly code: string;
  /** True if the request may have left; false if not one byte was sent. */
  readonly sent: boolean;
  /** Status and headers of a truncated response. */
  readonly response: Omit<HttpResponse, 'body'> | undefined;
  /** True if the request was sent before and had no effect. */
  readonly isRetry: boolean;

  constructor(
    cause: Error,
    { sent, response, isRetry = false }: Pick<TransportError, 'sent' | 'response'> & { isRetry?: boolean },
  ) {
    super(cause.message, { cause });
    this.code = (cause as NodeJS.ErrnoException).code ?? cause.name;
    this.sent = sent;
    this.response = response;
    this.isRetry = isRetry;
  }
}
