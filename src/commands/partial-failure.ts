import { Failure } from '../failure.js';

/**
 * Returns a partial failure if `--max-requests` or `reserve` ended a list after its first page, and any other error
 * unchanged.
 */
export function toPartialFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || !limitCodes.includes(error.details.code)) return error;
  return new Failure('partial', { ...error.details, message: `the list is incomplete: ${error.message}` });
}

const limitCodes: readonly string[] = ['request_budget', 'reserve_too_large'];
