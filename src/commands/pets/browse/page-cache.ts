import { listLimit, type PetRecord, type PetStatus, petStatuses } from '../../../api/pet.js';
import { formatExactNumber } from '../../../format/json.js';

/** Which pets the screen lists. */
export type StatusFilter = PetStatus | 'all';

export const statusFilters: readonly StatusFilter[] = ['all', ...petStatuses];

/** The pages loaded for one status filter. */
export interface PageCache {
  readonly pets: readonly PetRecord[];
  /** Created from this screen, and on no page loaded since. */
  readonly created: readonly PetRecord[];
  /** `unknown` after one full page without a next link: the service may not support pagination. */
  readonly completeness: 'partial' | 'unknown' | 'complete';
  /** Time of the first page, in milliseconds since the Unix epoch. */
  readonly loadedAt: number;
}

export type PageCaches = Readonly<Partial<Record<StatusFilter, PageCache>>>;

/** One page of a list, with the time at which it arrived. */
export interface LoadedPage {
  readonly pets: readonly PetRecord[];
  readonly hasNext: boolean;
  readonly at: number;
}

/** Returns the cache of a filter; derives it from the complete list of all pets if there is one. */
export function findCache(caches: PageCaches, filter: StatusFilter): PageCache | undefined {
  const cache = caches[filter];
  if (cache || filter === 'all' || caches.all?.completeness !== 'complete') return cache;
  const matches = ({ status }: PetRecord) => status === filter;
  const { pets, created, ...rest } = caches.all;
  return { ...rest, pets: pets.filter(matches), created: created.filter(matches) };
}

/** Returns the filter whose pages a refresh loads again. */
export function findRefreshTarget(caches: PageCaches, filter: StatusFilter): StatusFilter {
  return caches[filter] || caches.all?.completeness !== 'complete' ? filter : 'all';
}

/** Returns the cache extended by a page; a first page replaces the cache. */
export function addPage(
  cache: PageCache | undefined,
  { pets, hasNext, at }: LoadedPage,
  isFirstPage: boolean,
): PageCache {
  const completeness = hasNext ? 'partial' : 'complete';
  if (!cache || isFirstPage) {
    const isUnknown = !hasNext && pets.length >= listLimit.maximum;
    return { pets, created: [], completeness: isUnknown ? 'unknown' : completeness, loadedAt: at };
  }
  const ids = new Set(pets.map(formatPetId));
  return {
    ...cache,
    pets: [...cache.pets, ...pets],
    created: cache.created.filter((pet) => !ids.has(formatPetId(pet))),
    completeness,
  };
}

/** Returns the caches with a created pet in each loaded list that it belongs to. */
export function addCreatedPet(caches: PageCaches, pet: PetRecord): PageCaches {
  const filters = statusFilters.filter((filter) => filter === 'all' || filter === pet.status);
  const changed = filters.flatMap((filter) => {
    const cache = caches[filter];
    return cache ? [[filter, { ...cache, created: [...cache.created, pet] }]] : [];
  });
  return { ...caches, ...Object.fromEntries(changed) };
}

/** Returns the pets whose id or name contains the text, ignoring case. */
export function searchPets(cache: PageCache | undefined, text: string): readonly PetRecord[] {
  const pets = cache ? [...cache.pets, ...cache.created] : [];
  const query = text.trim().toLowerCase();
  if (query === '') return pets;
  return pets.filter((pet) => `${formatPetId(pet)} ${pet.name}`.toLowerCase().includes(query));
}

/** Returns the digits of a pet's id, or `-` if it has none. */
export function formatPetId({ id }: PetRecord): string {
  return formatExactNumber(id) ?? String(id ?? '-');
}
