import type { PetRecord } from '../../../api/pet.js';
import { findCache, formatPetId, listPetsOf, type PageCaches } from './page-cache.js';
import { sortPets } from './sort-pets.js';
import type { BrowseState } from './state.js';

type ListState = Pick<BrowseState, 'caches' | 'status' | 'search' | 'sort'>;

/** The last result for each set of caches: every drawing and every key asks for it. */
const lastResults = new WeakMap<PageCaches, { readonly key: string; readonly pets: readonly PetRecord[] }>();

/** Returns the pets whose id or name contains each word of the filter, ignoring case, in the order of the list. */
export function getVisiblePets({ caches, status, search, sort }: ListState): readonly PetRecord[] {
  const query = search.trim().toLowerCase();
  const key = `${status} ${sort} ${query}`;
  const known = lastResults.get(caches);
  if (known?.key === key) return known.pets;
  const all = listPetsOf(findCache(caches, status));
  const words = query.split(/\s+/);
  const matches = (pet: PetRecord) => {
    const text = `${formatPetId(pet)} ${pet.name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const pets = sortPets(query === '' ? all : all.filter(matches), sort);
  lastResults.set(caches, { key, pets });
  return pets;
}
