import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord, type PetStatus, petStatuses } from '../../api/pet.js';
import type { Client } from '../../client/client.js';
import { type Command, Failure } from '../../failure.js';
import { toPartialFailure, withPageCount } from '../partial-failure.js';
import type { PetPages } from './merge-statuses.js';

/** Which pets to list. */
export interface PetQuery {
  /** The statuses, without duplicates; undefined for every pet. */
  readonly status?: readonly PetStatus[];
  /** Pets per request. */
  readonly limit?: number;
}

/**
 * Yields every page; throws a `partial` failure after the last one if more pets may exist. `flags` are the other flags
 * that the same command needs to be run again.
 */
export async function* fetchAllPages(
  client: Client,
  { status: statuses = [], limit = listLimit.maximum }: PetQuery,
  flags: readonly string[] = [],
): AsyncIterable<readonly PetRecord[]> {
  const [status] = statuses;
  let pageCount = 0;
  const fetchStatus = (one: PetStatus | undefined) =>
    fetchPages(client, { status: one, limit, onPage: () => (pageCount += 1) });
  const fetchMerged = async () => (await import('./merge-statuses.js')).mergeById(statuses.map(fetchStatus));
  let isIncomplete: boolean;
  try {
    isIncomplete = yield* statuses.length > 1 ? await fetchMerged() : fetchStatus(status);
  } catch (error) {
    throw withPageCount(error, pageCount);
  }
  if (!isIncomplete) return;
  const everyStatus: Command = {
    words: [...petStatuses.flatMap((one) => ['--status', one]), ...flags],
    isAddition: true,
  };
  throw new Failure('partial', {
    code: 'perhaps_partial',
    message: `the list may be incomplete: the service sent ${limit} pets, as many as requested, but no link to a next page`,
    hint: status
      ? undefined
      : ['pass ', everyStatus, ' to list the pets of each status; pets without a status are left out'],
  });
}

/** Yields the pages. If `--max-requests` ends them, the failure is partial, so that the pages are printed. */
export async function* keepFetchedPages(
  pages: AsyncIterable<readonly PetRecord[]>,
): AsyncIterable<readonly PetRecord[]> {
  let hasPage = false;
  try {
    for await (const page of pages) {
      yield page;
      hasPage = true;
    }
  } catch (error) {
    throw hasPage ? toPartialFailure(error) : error;
  }
}

interface StatusQuery {
  readonly status: PetStatus | undefined;
  readonly limit: number;
  readonly onPage: () => void;
}

/** Yields the pages of one list; returns whether it may be incomplete. */
async function* fetchPages(client: Client, { status, limit, onPage }: StatusQuery): PetPages {
  let isPaginated = false;
  let isIncomplete = false;
  for await (const { value, hasNext } of client.paginate(listPets, { limit, status })) {
    onPage();
    yield value;
    // A full page without a link may mean that the service does not support pagination.
    isPaginated ||= hasNext;
    isIncomplete ||= !isPaginated && value.length >= limit;
  }
  return isIncomplete;
}
