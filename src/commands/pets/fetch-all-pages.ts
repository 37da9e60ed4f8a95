import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord, type PetStatus } from '../../api/pet.js';
import type { Client } from '../../client/client.js';
import { Failure } from '../../failure.js';
import { withPageCount } from '../with-page-count.js';

/** Which pets to list. */
export interface PetQuery {
  /** Undefined for every pet. */
  readonly status?: PetStatus;
  /** Pets per request. */
  readonly limit?: number;
}

/** Yields every page; throws a `partial` failure after the last one if more pets may exist. */
export async function* fetchAllPages(
  client: Client,
  { status, limit = listLimit.maximum }: PetQuery,
): AsyncIterable<readonly PetRecord[]> {
  let pageCount = 0;
  let isPaginated = false;
  let isIncomplete = false;
  try {
    for await (const { value, hasNext } of client.paginate(listPets, { limit, status })) {
      pageCount += 1;
      yield value;
      // A full page without a link may mean that the service does not support pagination.
      isPaginated ||= hasNext;
      isIncomplete ||= !isPaginated && value.length >= limit;
    }
  } catch (error) {
    throw withPageCount(error, pageCount);
  }
  if (!isIncomplete) return;
  throw new Failure('partial', {
    code: 'perhaps_partial',
    message: `the list may be incomplete: the service sent ${limit} pets, as many as requested, but no link to a next page`,
    hint: status ? undefined : 'run the command with each --status; pets without a status are left out',
  });
}
