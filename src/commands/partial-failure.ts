import { Failure } from '../failure.js';
import { formatCount } from '../format/duration.js';

/**
 * Returns a partial failure if `--max-requests` ended a list after its first page, and any other error unchanged.
 */
export function toPartialFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.code !== 'request_budget') return error;
  return new Failure('partial', { ...error.details, message: `the list is incomplete: ${error.details.message}` });
}

/** Returns the error with the number of pages as its outcome if the quota ended a list after them. */
export function withPageCount(error: unknown, pageCount: number): unknown {
  if (!(error instanceof Failure) || error.details.code !== 'rate_limited' || pageCount === 0) return error;
  // A 429 of the service has no outcome: the request was sent.
  if (error.details.outcome === undefined) return error;
  const outcome = `${formatCount(pageCount, 'page')} ${pageCount === 1 ? 'was' : 'were'} read`;
  return new Failure(error.kind, { ...error.details, outcome });
}
