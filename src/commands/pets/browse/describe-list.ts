import type { PetRecord } from '../../../api/pet.js';
import { formatCount, formatNumber } from '../../../format/duration.js';
import { truncate } from '../../../format/safe-text.js';
import { hasMorePages } from './loading.js';
import { countPets, findCache, type PageCache } from './page-cache.js';
import type { BrowseState, PendingAdd } from './state.js';

/** Returns why no pet is listed, and what to press. */
export function describeEmptyList(state: BrowseState): string {
  const { caches, status, loading, isReadOnly } = state;
  const search = state.search.trim();
  const cache = findCache(caches, status);
  const isLoading = loading.includes(status);
  if (!cache) return isLoading ? 'Loading…' : 'No pets are loaded. Press Ctrl-R to load them.';
  const loaded = formatCount(countPets(cache), 'loaded pet');
  if (isLoading) return search === '' ? 'Loading…' : `No match in the ${loaded} yet.`;
  if (hasMorePages(state)) return `No match in the ${loaded}. Press End to load the rest.`;
  if (search !== '' && cache.completeness === 'unknown') {
    return `No match in the ${loaded}. The service may have more. Press Esc to clear the filter.`;
  }
  const kind = status === 'all' ? '' : `${status} `;
  if (search !== '') return `No ${kind}pet matches "${search}". Press Esc to clear the filter.`;
  const [orAdd, add] = isReadOnly ? ['', ''] : [', or Ctrl-N to add a pet', 'Ctrl-N to add one, or '];
  if (status !== 'all') return `No pet is ${status}. Press Tab for another status${orAdd}.`;
  return `The service has no pets. Press ${add}Ctrl-R to reload.`;
}

/** Returns the position in the list, how many pets are loaded, and the order: `1 of 74 · sorted by name`. */
export function formatPosition(state: BrowseState, pets: readonly PetRecord[]): string {
  const cache = findCache(state.caches, state.status);
  if (!cache) return '';
  const order = state.sort === 'id' ? '' : ` · sorted by ${state.sort}`;
  return `${formatCounts(state, pets, cache)}${order}`;
}

function formatCounts(state: BrowseState, pets: readonly PetRecord[], cache: PageCache): string {
  const loaded = countPets(cache);
  const isComplete = cache.completeness === 'complete';
  const more = { partial: 'more to load', unknown: 'there may be more', complete: '' }[cache.completeness];
  const rest = state.loading.includes(state.status) ? 'loading more' : more;
  const total = isComplete ? formatCount(loaded, 'pet') : `${formatNumber(loaded)} loaded, ${rest}`;
  const position = `${formatNumber(state.selected + 1)} of`;
  if (state.search.trim() !== '') {
    const matches = pets.length === 1 ? '1 match' : `${formatNumber(pets.length)} matches`;
    return pets.length === 0 ? `No match in ${total}` : `${position} ${matches} in ${total}`;
  }
  if (pets.length === 0) return total;
  return `${position} ${isComplete ? formatNumber(loaded) : total}`;
}

/** Returns the name of one pet, or the number of several. */
export function formatNames(adds: readonly PendingAdd[]): string {
  return adds.length === 1 ? truncate(adds[0]?.name ?? '', 50) : formatCount(adds.length, 'pet');
}
