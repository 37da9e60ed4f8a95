import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord, type PetStatus } from '../../api/pet.js';
import type { AppContext } from '../../app/context.js';
import type { Client, SendOptions } from '../../client/client.js';
import { Failure } from '../../failure.js';
import { formatCount } from '../../format/duration.js';
import { foldText } from '../../format/fold-text.js';

/** Which pets to list. */
export interface PetQuery {
  /** Undefined for every pet. */
  readonly status?: PetStatus | undefined;
  /** Text in the name, ignoring case and accents. */
  readonly name?: string | undefined;
  /** A 64-bit integer in decimal digits. */
  readonly categoryId?: string | undefined;
}

export interface PetPage {
  readonly pets: readonly PetRecord[];
  /** Whether the service has more pets. `perhaps` after a full page of a service that has linked to no page yet. */
  readonly hasMore: 'no' | 'yes' | 'perhaps';
}

/** Returns true if petstore filters the pets, since the API cannot. */
export function hasFilter({ name, categoryId }: PetQuery): boolean {
  return name !== undefined || categoryId !== undefined;
}

/** Returns the pets of a page that the filter of the query lets pass. */
export function filterPets(pets: readonly PetRecord[], { name, categoryId }: PetQuery): readonly PetRecord[] {
  const part = name === undefined ? undefined : foldText(name);
  return pets.filter(
    (pet) =>
      (part === undefined || foldText(String(pet.name)).includes(part)) &&
      (categoryId === undefined || String(pet.categoryId) === categoryId),
  );
}

/**
 * Yields the pages of a list with `pageSize` pets each. After a failure, `next()` requests the failed page again.
 * `getOptions` returns how to send the next request.
 */
export function fetchPages(
  client: Client,
  { status }: PetQuery,
  pageSize: number = listLimit.maximum,
  getOptions?: () => SendOptions,
): AsyncIterableIterator<PetPage> {
  const pages = client.paginate(listPets, { limit: pageSize, status }, getOptions);
  let isPaginated = false;
  return {
    next: async () => {
      const { done, value } = await pages.next();
      if (done) return { done, value };
      isPaginated ||= value.hasNext;
      // A full page without a link may mean that the service does not support pagination.
      const isPerhapsLast = !isPaginated && value.value.length >= pageSize;
      const hasMore = value.hasNext ? 'yes' : isPerhapsLast ? 'perhaps' : 'no';
      return { done: false, value: { pets: value.value, hasMore } };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Yields at most `maximum` pets, page by page, and then calls `onMore` if there are or may be more. Throws a failure
 * (partial) if the list may be incomplete although the maximum is not reached.
 */
export async function* fetchPets(
  client: Client,
  query: PetQuery,
  maximum: number,
  onMore: (hasMore: PetPage['hasMore']) => void,
): AsyncGenerator<readonly PetRecord[]> {
  const pageSize = hasFilter(query) ? listLimit.maximum : Math.min(maximum, listLimit.maximum);
  let left = maximum;
  for await (const { pets, hasMore } of fetchPages(client, query, pageSize)) {
    const found = filterPets(pets, query);
    yield found.slice(0, left);
    left -= found.length;
    if (left <= 0) return onMore(left < 0 ? 'yes' : hasMore);
    if (hasMore === 'perhaps') throw incompleteList(pageSize, query);
  }
}

function incompleteList(count: number, { status }: PetQuery): Failure {
  return new Failure('partial', {
    code: 'perhaps_partial',
    message: `the list may be incomplete: the service sent ${count} pets, as many as requested, but no link to a next page`,
    hint: status ? undefined : 'run the command with each --status; pets without a status are left out',
  });
}

/**
 * Yields the pages, and shows the number of pets in them until the last one. `isStreamed`: the pets are printed as they
 * arrive. They show the progress themselves, and the reader of a pipe may print to the same terminal.
 */
export async function* showFetchProgress(
  pages: AsyncIterable<readonly PetRecord[]>,
  { flags, settings, terminal }: AppContext,
  isStreamed = ['ndjson', 'csv', 'tsv'].includes(settings.output),
): AsyncIterable<readonly PetRecord[]> {
  if (isStreamed && flags.jq === undefined) return yield* pages;
  let count = 0;
  const progress = terminal.startProgress(() =>
    count === 0 ? 'Fetching pets' : `Fetched ${formatCount(count, 'pet')}`,
  );
  try {
    for await (const page of pages) {
      count += page.length;
      yield page;
    }
  } finally {
    await progress.stop();
  }
}
