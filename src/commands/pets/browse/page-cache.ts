import { listLimit, type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import { formatExactNumber } from '../../../format/json.js';

/** Which pets the screen lists. */
export type StatusFilter = PetStatus | 'all';

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses];

/** Pets from one response. */
export interface PetBatch {
  readonly pets: readonly PetRecord[];
  /** Method and target of the request: `GET /v1/pets?limit=100`. */
  readonly request: string;
  /** When the response arrived, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The pages loaded for one status filter. */
export interface PageCache {
  readonly pages: readonly PetBatch[];
  /** Loaded before a reload that has not come to these pages yet. */
  readonly stale: readonly PetBatch[];
  /** Created from this screen, and on no page loaded since. */
  readonly created: readonly PetBatch[];
  /** `unknown` after one full page without a next link: the service may not support pagination. */
  readonly completeness: 'partial' | 'unknown' | 'complete';
}

export type PageCaches = Readonly<Partial<Record<StatusFilter, PageCache>>>;

/** One page of a list. */
export interface LoadedPage extends PetBatch {
  readonly hasNext: boolean;
}

/** Returns the cache of a filter; derives it from the complete list of all pets if there is one. */
export function findCache(caches: PageCaches, filter: StatusFilter): PageCache | undefined {
  const cache = caches[filter];
  if (cache || filter === 'all' || caches.all?.completeness !== 'complete') return cache;
  const { pages, stale, created, completeness } = caches.all;
  const keep = filterBatches(({ status }) => status === filter);
  return { pages: pages.map(keep), stale: stale.map(keep), created: created.map(keep), completeness };
}

/** Returns the filter whose pages a refresh loads again: all pets if they fit on one page. */
export function findRefreshTarget(caches: PageCaches, filter: StatusFilter): StatusFilter {
  const { all } = caches;
  return !caches[filter] && all?.completeness === 'complete' && all.pages.length === 1 ? 'all' : filter;
}

/**
 * Returns the cache extended by a page. A first page starts a reload: the other pages stay until pages that are loaded
 * again replace them one by one, so that the list does not shrink meanwhile.
 */
export function addPage(cache: PageCache | undefined, page: LoadedPage, isFirstPage: boolean): PageCache {
  const { pets, hasNext } = page;
  const completeness = hasNext ? 'partial' : 'complete';
  const ids = new Set(pets.map(formatPetId));
  const keep = filterBatches((pet) => !ids.has(formatPetId(pet)));
  const { pages = [], stale = [], created = [] } = cache ?? {};
  const left = (batches: readonly PetBatch[]) => (hasNext ? batches.slice(1).map(keep) : []);
  if (pages.length > 0 && !isFirstPage) {
    return { pages: [...pages, page], stale: left(stale), created: created.map(keep), completeness };
  }
  const isUnknown = !hasNext && pets.length >= listLimit.maximum;
  return {
    pages: [page],
    stale: left([...pages, ...stale]),
    created: hasNext ? created.map(keep) : [],
    completeness: isUnknown ? 'unknown' : completeness,
  };
}

function filterBatches(matches: (pet: PetRecord) => boolean) {
  return (batch: PetBatch): PetBatch => ({ ...batch, pets: batch.pets.filter(matches) });
}

/** Returns the caches with a created pet in each loaded list that it belongs to. */
export function addCreatedPet(caches: PageCaches, pet: PetRecord, batch: PetBatch): PageCaches {
  const filters = statusFilters.filter((filter) => filter === 'all' || filter === pet.status);
  const changed = filters.flatMap((filter) => {
    const cache = caches[filter];
    return cache ? [[filter, { ...cache, created: [...cache.created, batch] }]] : [];
  });
  return { ...caches, ...Object.fromEntries(changed) };
}

/** Returns every pet of a cache, in the order of the service. */
export function listPetsOf(cache: PageCache | undefined): readonly PetRecord[] {
  return cache ? listBatchesOf(cache).flatMap(({ pets }) => pets) : [];
}

function listBatchesOf({ pages, stale, created }: PageCache): readonly PetBatch[] {
  return [...pages, ...stale, ...created];
}

export function countPets(cache: PageCache | undefined): number {
  return cache ? listBatchesOf(cache).reduce((count, { pets }) => count + pets.length, 0) : 0;
}

/** Returns how many pets are loaded, without those that a reload has not come to yet. */
export function countFreshPets(cache: PageCache | undefined): number {
  return countPets(cache && { ...cache, stale: [] });
}

/** Returns the response that a pet came with. */
export function findBatch(cache: PageCache | undefined, pet: PetRecord): PetBatch | undefined {
  return cache && [...cache.created, ...cache.pages, ...cache.stale].find(({ pets }) => pets.includes(pet));
}

/** Returns the digits of a pet's id, or `-` if it has none. */
export function formatPetId({ id }: PetRecord): string {
  return formatExactNumber(id) ?? String(id ?? '-');
}
