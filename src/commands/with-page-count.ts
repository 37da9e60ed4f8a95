import { Failure } from '../failure.js';
import { formatCount } from '../format/duration.js';

/** Returns the error with the number of pages as its outcome if the quota ended a list after them. */
export function withPageCount(error: unknown, pageCount: number): unknown {
  if (!(error instanceof Failure) || error.details.code !== 'rate_limited' || pageCount === 0) return error;
  // A 429 of the service has no outcome: the request was sent.
  if (error.details.outcome === undefined) return error;
  const outcome = `${formatCount(pageCount, 'page')} ${pageCount === 1 ? 'was' : 'were'} read`;
  return new Failure(error.kind, { ...error.details, outcome });
}
