import type { PetRecord } from '../../../api/pet.js';
import { matchesFilter, splitFilter } from '../../../format/fold-text.js';
import { findCache, formatPetId, listPetsOf, type PageCaches } from './page-cache.js';
import { sortPets } from './sort-pets.js';
import type { BrowseState } from './state.js';

type ListState = Pick<BrowseState, 'caches' | 'status' | 'search' | 'sort'>;

/** The last result for each set of caches: every drawing and every key asks for it. */
const lastResults = new WeakMap<PageCaches, { readonly key: string; readonly pets: readonly PetRecord[] }>();

/** Returns the pets whose id or name contains each word of the filter, in the order of the list. Ignores case and accents. */
export function getVisiblePets({ caches, status, search, sort }: ListState): readonly PetRecord[] {
  const words = splitFilter(search);
  const key = [status, sort, ...words].join(' ');
  const lastResult = lastResults.get(caches);
  if (lastResult?.key === key) return lastResult.pets;
  const all = listPetsOf(findCache(caches, status));
  const matches = (pet: PetRecord) => matchesFilter(`${formatPetId(pet)} ${pet.name}`, words);
  const pets = sortPets(words.length === 0 ? all : all.filter(matches), sort);
  lastResults.set(caches, { key, pets });
  return pets;
}
