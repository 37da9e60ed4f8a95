import { formatCount } from '../../../format/duration.js';
import { countFreshPets, findCache, type StatusFilter } from './page-cache.js';
import type { BrowseState, Transition } from './state.js';

/** Starts a request, unless one for this list is in flight. */
export function load(
  state: BrowseState,
  status: StatusFilter,
  { isFirstPage = false, isBackground = false } = {},
): Transition {
  if (state.loading.includes(status)) return [state];
  const next = { ...state, loading: [...state.loading, status] };
  return [next, { kind: 'load', status, isFirstPage, isBackground }];
}

export function endLoading(state: BrowseState, status: StatusFilter): BrowseState {
  return { ...state, loading: state.loading.filter((other) => other !== status) };
}

/**
 * Loads the next page if the list needs every pet (for a filter, for an order, or after End), or if a reload has not come
 * to every page yet.
 */
export function continueLoading(transition: Transition): Transition {
  return andThen(transition, (state) => {
    const cache = findCache(state.caches, state.status);
    const isIncomplete = state.loadsAll || (state.isReloading && cache !== undefined && cache.stale.length > 0);
    if (!isIncomplete || !hasMorePages(state)) return [state];
    return load(state, state.status, { isFirstPage: !cache, isBackground: true });
  });
}

/** Applies a step to the state of a transition. The effects of the step follow those of the transition. */
export function andThen([state, ...effects]: Transition, step: (state: BrowseState) => Transition): Transition {
  const [next, ...more] = step(state);
  return [next, ...effects, ...more];
}

/** Loads every page and follows the end of the list. May use half of the quota that remains now. */
export function loadToEnd(state: BrowseState): Transition {
  const toEnd = { ...state, loadsAll: true, followsEnd: true };
  // The wait continues if End would load nothing.
  const [next, ...effects] = findBackgroundWait(state)?.canLoadMore ? cancelBackgroundWait(toEnd) : [toEnd];
  const isStart = hasMorePages(next) && !next.loading.includes(next.status);
  return isStart ? [next, ...effects, { kind: 'grantHalfQuota' }] : [next];
}

/** Loads the next page, even if a page in the background waits for the quota. */
export function loadNextPage(state: BrowseState): Transition {
  return andThen(cancelBackgroundWait(state), (ready) => load(ready, state.status));
}

/** Cancels every request for a page if one for the list waits in the background, so that another one can start. */
export function cancelBackgroundWait(state: BrowseState): Transition {
  if (!findBackgroundWait(state)) return [state];
  const waits = state.waits.filter(({ background }) => !background);
  return [{ ...state, loading: [], waits }, { kind: 'stopLoading' }];
}

function findBackgroundWait({ waits, status }: BrowseState) {
  return waits.find(({ background }) => background?.status === status)?.background;
}

/** Returns whether the service has pages of the list that are not loaded, as far as known. */
export function hasMorePages({ caches, status }: Pick<BrowseState, 'caches' | 'status'>): boolean {
  const cache = findCache(caches, status);
  return !cache || cache.completeness === 'partial';
}

/** Returns the state without any reason to load the next page. */
export function endBackgroundLoading(state: BrowseState): BrowseState {
  return { ...state, loadsAll: false, isReloading: false, followsEnd: false, pendingSelection: undefined };
}

/** Cancels every request for a page. */
export function stopLoading(state: BrowseState): Transition {
  return [
    { ...endBackgroundLoading(state), loading: [], message: { text: describeStop(state) } },
    { kind: 'stopLoading' },
  ];
}

function describeStop(state: BrowseState): string {
  const cache = findCache(state.caches, state.status);
  if (!cache || !hasMorePages(state)) return `Stopped. Press Ctrl-R to ${cache ? 'reload' : 'load'} the pets.`;
  const count = formatCount(countFreshPets(cache), 'pet');
  return cache.stale.length > 0
    ? `Stopped. Reloaded ${count}. Press End to reload the rest.`
    : `Stopped at ${count}. Press End to load the rest.`;
}

/** Returns whether filter or order show the right pets only if every page is loaded. */
export function needsEveryPet({ search, sort }: Pick<BrowseState, 'search' | 'sort'>): boolean {
  return search.trim() !== '' || sort !== 'id';
}
