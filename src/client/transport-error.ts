import type { HttpResponse } from '../api/http.js';

/** A request that got no whole answer. The message is for `--debug`; `failures.ts` words it for people. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** The error code of Node.js or undici: `ECONNREFUSED`, `UND_ERR_SOCKET`. */
  readonly code: string;
  /** True once the request may have left; false means that not a byte of it did. */
  readonly sent: boolean;
  /** Status and headers of an answer that was cut off. */
  readonly answer: Omit<HttpResponse, 'body'> | undefined;

  /** True where the request was sent before, without effect. */
  readonly again: boolean;

  constructor(
    cause: Error,
    {
      sent,
      answer,
      again = false,
    }: { sent: boolean; answer: Omit<HttpResponse, 'body'> | undefined; again?: boolean },
  ) {
    super(cause.message, { cause });
    this.code = (cause as NodeJS.ErrnoException).code ?? cause.name;
    this.sent = sent;
    this.answer = answer;
    this.again = again;
  }
}
