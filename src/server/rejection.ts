import type { ErrorCode } from '../api/error.js';

/** A request that a rule refuses; becomes an answer with an Error body. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}
