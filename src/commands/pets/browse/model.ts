import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import { formatCount } from '../../../format/duration.js';
import { findEscapeEffect, type KeyAction, mapKey } from './keys.js';
import {
  type BrowseEvent,
  type BrowseState,
  formatPetId,
  type SortOrder,
  type StatusFilter,
  sortOrders,
  statusFilters,
  type Transition,
  type Viewport,
} from './state.js';
import { getVisiblePets } from './visible-pets.js';

/** Returns the initial state, which loads the first page. */
export function initialize(quota: Quota, isReadOnly = false): Transition {
  const list = { status: 'all', pets: [], loaded: 'none', search: '', isTyping: false, sort: 'id' } as const;
  return openList({ ...list, isReadOnly, view: 'list', selected: 0, scrollOffset: 0, quota }, 'all');
}

/** Starts a list. */
function openList(state: BrowseState, status: StatusFilter): Transition {
  const start = { pets: [], loaded: 'none', loading: 'page', selected: 0, scrollOffset: 0, wait: undefined } as const;
  return [
    { ...state, ...start, status, pendingSelection: undefined },
    { kind: 'open', status },
  ];
}

/** Returns the state after an event, with the effects to perform. */
export function update(state: BrowseState, event: BrowseEvent): Transition {
  switch (event.kind) {
    case 'key': {
      const action = mapKey(event.key, state);
      const ready = { ...state, message: undefined, pendingSelection: undefined };
      return action ? applyAction(ready, action, event.viewport) : [state];
    }
    case 'page':
      return addPage(state, event);
    case 'loadFailed':
      return [{ ...state, loading: undefined, wait: undefined, message: event.message }];
    case 'added':
      return addCreatedPet(state, event.pet);
    case 'message':
      return [{ ...state, message: event.message }];
    case 'wait':
      return [{ ...state, wait: event.wait }];
    case 'quota':
      return [{ ...state, quota: event.quota }];
  }
}

/** Adds a page, and loads the next one if End has asked for all. */
function addPage(before: BrowseState, event: Extract<BrowseEvent, { kind: 'page' }>): Transition {
  const { pets: page, isFirst, hasNext } = event;
  const isUnpaginated = isFirst && page.length >= listLimit.maximum;
  // A reload replaces the list; a new list has only a pet that was created before.
  const merged = isFirst && before.loaded !== 'none' ? page : mergePets(before.pets, page);
  const loaded = hasNext ? 'partial' : isUnpaginated ? 'unknown' : 'complete';
  const loading = before.loading === 'all' && hasNext ? 'all' : undefined;
  const { pendingId, pendingSelection } = before;
  const state = keepSelection(before, { ...before, pets: merged, loaded, loading });
  const pets = getVisiblePets(state);
  const found = pendingId === undefined ? -1 : pets.findIndex((pet) => formatPetId(pet) === pendingId);
  const index = found === -1 ? pendingSelection : found;
  const next = {
    ...state,
    pendingId: found === -1 && loading ? pendingId : undefined,
    pendingSelection: loading && pendingSelection,
    ...(index !== undefined && { selected: clamp(index, pets.length - 1) }),
  };
  return loading ? [next, { kind: 'load', leavesHalf: true }] : [next];
}

/** Returns pets with those of a page, which replace pets with the same id. */
function mergePets(pets: readonly PetRecord[], page: readonly PetRecord[]): readonly PetRecord[] {
  const ids = new Set(page.filter(({ id }) => id !== undefined).map(formatPetId));
  return [...pets.filter((pet) => !ids.has(formatPetId(pet))), ...page];
}

/** Adds a created pet and selects it. A filter or status that does not match the pet ends. */
function addCreatedPet(before: BrowseState, pet: PetRecord): Transition {
  const id = formatPetId(pet);
  const message = { text: `✓ Added ${pet.name} (id ${id})` };
  const isListed = before.status === 'all' || before.status === pet.status;
  const [base, ...effects] = isListed ? ([before] as const) : openList({ ...before, search: '' }, 'all');
  const added = { ...base, pets: mergePets(base.pets, [pet]), view: 'list', message } as const;
  const find = (state: BrowseState) => getVisiblePets(state).findIndex((other) => formatPetId(other) === id);
  const state = find(added) === -1 ? { ...added, search: '', isTyping: false } : added;
  return [{ ...state, selected: find(state), pendingId: effects.length > 0 ? id : undefined }, ...effects];
}

/** Returns the state after a change of the list, with the same pet selected if it is still there. */
function keepSelection(before: BrowseState, after: BrowseState): BrowseState {
  const pet = getVisiblePets(before)[before.selected];
  const pets = getVisiblePets(after);
  const index = pet ? pets.findIndex((other) => formatPetId(other) === formatPetId(pet)) : -1;
  return { ...after, selected: clamp(index === -1 ? before.selected : index, pets.length - 1) };
}

function applyAction(state: BrowseState, action: KeyAction, viewport: Viewport): Transition {
  const pet = getVisiblePets(state)[state.selected];
  switch (action.kind) {
    case 'move':
      return move(state, action, viewport);
    case 'changeStatus': {
      const step = action.isBackward ? statusFilters.length - 1 : 1;
      const index = (statusFilters.indexOf(state.status) + step) % statusFilters.length;
      return openList({ ...state, view: 'list', pendingId: undefined }, statusFilters[index] as StatusFilter);
    }
    case 'search':
      return [filter(state, action.text)];
    case 'startSearch':
      return [{ ...state, view: 'list', isTyping: true }];
    case 'sort': {
      const sort = sortOrders[(sortOrders.indexOf(state.sort) + 1) % sortOrders.length] as SortOrder;
      return [keepSelection(state, { ...state, sort })];
    }
    case 'toggleDetails':
      return [{ ...state, view: pet && state.view !== 'details' ? 'details' : 'list', scrollOffset: 0 }];
    case 'help':
      return [{ ...state, view: 'help', scrollOffset: 0 }];
    case 'back':
      return goBack(state);
    case 'reload':
      return [
        { ...state, view: 'list', loading: 'page', wait: undefined, pendingId: pet && formatPetId(pet) },
        { kind: 'open', status: state.status },
      ];
    case 'copyId':
      return pet ? [state, { kind: 'copyId', id: formatPetId(pet) }] : [state];
    case 'add':
      if (!state.isReadOnly) return [state, { kind: 'add' }];
      return [{ ...state, message: { text: 'Cannot add a pet: read-only mode is on', severity: 'error' } }];
  }
}

/** In UTF-16 units. */
const maxSearchLength = 200;

/** Shows the loaded pets that match. A cleared filter keeps the pet that it has found selected. */
function filter(state: BrowseState, search: string): BrowseState {
  const text = search.slice(0, maxSearchLength);
  const isTyping = search !== '' && state.isTyping;
  const filtered: BrowseState = { ...state, search: text, isTyping, view: 'list', scrollOffset: 0 };
  return search === '' ? keepSelection(state, filtered) : { ...filtered, selected: 0 };
}

function goBack(state: BrowseState): Transition {
  switch (findEscapeEffect(state)) {
    case 'closeView':
      return [{ ...state, view: 'list', scrollOffset: 0 }];
    case 'stopLoading': {
      const rest = state.loaded === 'none' ? 'Press Ctrl-R to load the pets.' : 'Press End to load the rest.';
      const text = `Stopped at ${formatCount(state.pets.length, 'pet')}. ${rest}`;
      return [{ ...state, loading: undefined, wait: undefined, message: { text } }, { kind: 'stop' }];
    }
    case 'clearFilter':
      return [filter({ ...state, isTyping: false }, '')];
    case 'quit':
      return [state, { kind: 'quit' }];
  }
}

/** Moves the selection, or scrolls text. Moving past the last loaded pet loads the next page. */
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
  const target = state.selected + delta;
  const moved = { ...state, scrollOffset: 0, selected: clamp(target, last) };
  if (isBackward || state.loaded !== 'partial' || (by !== 'all' && target <= last)) return [moved];
  const loading = by === 'all' ? 'all' : (state.loading ?? 'page');
  const next = { ...moved, loading, pendingSelection: target } as const;
  const grants = by === 'all' && state.loading !== 'all' ? [{ kind: 'grantHalf' } as const] : [];
  return state.loading ? [next, ...grants] : [next, ...grants, { kind: 'load', leavesHalf: by === 'all' }];
}

/** Returns the integer between 0 and `max` that is nearest to the value; 0 if `max` is negative. */
function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
