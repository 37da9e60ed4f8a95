import type { Quota } from '../../../api/rate-limit-headers.js';
import { applyCreatedPet, applyPage } from './apply-page.js';
import { findEscapeEffect, type KeyAction, mapKey } from './keys.js';
import {
  andThen,
  cancelBackgroundWait,
  continueLoading,
  endBackgroundLoading,
  endLoading,
  load,
  loadNextPage,
  loadToEnd,
  needsEveryPet,
  stopLoading,
} from './loading.js';
import { findCache, findRefreshTarget, formatPetId, type StatusFilter, statusFilters } from './page-cache.js';
import { clamp, keepSelection, listStart } from './selection.js';
import { type SortOrder, sortOrders } from './sort-pets.js';
import type { BrowseEvent, BrowseState, Transition, Viewport } from './state.js';
import { getVisiblePets } from './visible-pets.js';

/** Returns the initial state, which loads the first page. */
export function initialize(quota: Quota, isReadOnly = false): Transition {
  const state: BrowseState = {
    isReadOnly,
    view: 'list',
    viewBelowHelp: 'list',
    search: '',
    afterCursor: 0,
    isTyping: false,
    status: 'all',
    sort: 'id',
    caches: {},
    loading: [],
    loadsAll: false,
    isReloading: false,
    waits: [],
    adds: [],
    canSelectCreated: false,
    quota,
    ...listStart,
  };
  return load(state, 'all', { isFirstPage: true });
}

/** Returns the state after an event, with the effects to perform. */
export function update(state: BrowseState, event: BrowseEvent): Transition {
  return continueLoading(applyEvent(state, event));
}

function applyEvent(state: BrowseState, event: BrowseEvent): Transition {
  switch (event.kind) {
    case 'key': {
      const action = mapKey(event.key, state);
      if (!action) return [state];
      return applyAction({ ...state, message: undefined, canSelectCreated: false }, action, event.viewport);
    }
    case 'pageLoaded':
      return applyPage(state, event);
    case 'loadFailed': {
      const ended = endLoading(state, event.status);
      return [{ ...(event.status === state.status ? endBackgroundLoading(ended) : ended), message: event }];
    }
    case 'addCanceled': {
      // Another pet may be on its way, or its result may have arrived behind the form.
      const hasNews = state.adds.length > 0 || state.message !== undefined;
      const canceled = { text: 'Canceled. Nothing was added.', until: event.until };
      return [{ ...state, canSelectCreated: false, message: hasNews ? state.message : canceled }];
    }
    case 'petCreated':
      return [applyCreatedPet(state, event.pet, event.batch)];
    case 'message':
      return [{ ...state, message: event }];
    case 'waitStarted':
      return [{ ...state, waits: [...state.waits, event.wait] }];
    case 'waitEnded':
      return [{ ...state, waits: state.waits.filter((wait) => wait !== event.wait) }];
    case 'adds':
      return [{ ...state, adds: event.adds }];
    case 'quota':
      return [{ ...state, quota: event.quota }];
  }
}

function applyAction(state: BrowseState, action: KeyAction, viewport: Viewport): Transition {
  switch (action.kind) {
    case 'move':
      return move(state, action, viewport);
    case 'changeStatus':
      return changeStatus(state, action.isBackward);
    case 'search':
      if (action.text.length > maxSearchLength) return [{ ...state, message: searchTooLong }];
      return [filter(state, action.text, action.afterCursor)];
    case 'moveCursor':
      return [{ ...state, afterCursor: action.afterCursor }];
    case 'startSearch':
      return [{ ...state, view: 'list', isTyping: true }];
    case 'sort': {
      const sort = sortOrders[(sortOrders.indexOf(state.sort) + 1) % sortOrders.length] as SortOrder;
      const sorted = { ...state, sort };
      return [{ ...keepSelection(state, sorted), loadsAll: state.loadsAll || needsEveryPet(sorted) }];
    }
    case 'toggleDetails':
      if (getVisiblePets(state).length === 0) return [{ ...state, view: 'list' }];
      return [{ ...state, view: state.view === 'details' ? 'list' : 'details', scrollOffset: 0 }];
    case 'help': {
      const viewBelowHelp = state.view === 'details' ? 'details' : 'list';
      return [{ ...state, view: 'help', viewBelowHelp, scrollOffset: 0 }];
    }
    case 'back':
      return goBack(state);
    case 'refresh':
      return reload(state);
    case 'copyId': {
      const pet = getVisiblePets(state)[state.selected];
      return pet ? [state, { kind: 'copyId', id: formatPetId(pet) }] : [state];
    }
    case 'add':
      if (!state.isReadOnly) return [{ ...state, canSelectCreated: true }, { kind: 'add' }];
      return [{ ...state, message: { text: 'Cannot add a pet: read-only mode is on', severity: 'error' } }];
  }
}

/** Shows the list of the next or previous status, and cancels the background wait of the current list. */
function changeStatus(state: BrowseState, isBackward: boolean): Transition {
  const step = isBackward ? statusFilters.length - 1 : 1;
  const index = (statusFilters.indexOf(state.status) + step) % statusFilters.length;
  const status = statusFilters[index] as StatusFilter;
  return andThen(cancelBackgroundWait(state), (ready) => {
    const changed = { ...ready, ...listStart, status, loadsAll: needsEveryPet(ready), isReloading: false };
    return findCache(state.caches, status) ? [changed] : load(changed, status, { isFirstPage: true });
  });
}

/** In UTF-16 units. */
const maxSearchLength = 200;
const searchTooLong = { text: `A filter has at most ${maxSearchLength} characters`, severity: 'error' } as const;

/** Shows the pets that match. A filter loads every pet; its end keeps the pet that was found selected. */
function filter(state: BrowseState, search: string, afterCursor = 0): BrowseState {
  const isTyping = search !== '' && state.isTyping;
  const filtered = { ...state, ...listStart, view: 'list', search, afterCursor, isTyping } as const;
  // After Esc has stopped loading, a cleared filter must not start it again: the next Esc would not quit.
  const loadsAll = search.trim() !== '' || (state.loadsAll && needsEveryPet(filtered));
  return { ...(search === '' ? keepSelection(state, filtered) : filtered), loadsAll };
}

function goBack(state: BrowseState): Transition {
  switch (findEscapeEffect(state)) {
    case 'closeView':
      // The list may have lost the pet whose details were open.
      if (state.view === 'help' && getVisiblePets(state).length > 0) {
        return [{ ...state, view: state.viewBelowHelp, scrollOffset: 0 }];
      }
      return [{ ...state, view: 'list' }];
    case 'cancelAdd':
      return [state, { kind: 'cancelAdds' }];
    case 'stopLoading':
      return stopLoading(state);
    case 'clearFilter':
      return [filter({ ...state, isTyping: false }, '')];
    case 'quit':
      return [state, { kind: 'quit' }];
    case undefined:
      return [state];
  }
}

function reload(state: BrowseState): Transition {
  const target = findRefreshTarget(state.caches, state.status);
  const reasons = { loadsAll: needsEveryPet(state), isReloading: true, followsEnd: false };
  const isLoadingMore = state.loadsAll && state.loading.includes(target);
  return andThen(isLoadingMore ? stopLoading(state) : [state], (ready) =>
    load({ ...ready, ...reasons, message: undefined }, target, { isFirstPage: true }),
  );
}

/** Moves the selection, or scrolls text; moving past the last loaded pet loads the next page. */
function move(
  state: BrowseState,
  { by, isBackward }: Extract<KeyAction, { kind: 'move' }>,
  { petRows, maxScrollOffset }: Viewport,
): Transition {
  const distance = by === 'line' ? 1 : by === 'page' ? petRows : Number.POSITIVE_INFINITY;
  const delta = isBackward ? -distance : distance;
  if (state.view === 'help' || (state.view === 'details' && by === 'page')) {
    return [{ ...state, scrollOffset: clamp(state.scrollOffset + delta, maxScrollOffset) }];
  }
  const last = Math.max(0, getVisiblePets(state).length - 1);
  // While the next page loads, each further key moves on from the pet that will be selected.
  const target = (isBackward ? state.selected : (state.pendingSelection ?? state.selected)) + delta;
  const moved = { ...state, ...listStart, selected: clamp(target, last) };
  if (isBackward) return [moved];
  if (by === 'all') return loadToEnd(moved);
  const hasMore = findCache(state.caches, state.status)?.completeness === 'partial';
  if (target <= last || !hasMore) return [moved];
  return loadNextPage({ ...moved, pendingSelection: target });
}
