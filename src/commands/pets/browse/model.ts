import type { PetRecord } from '../../../api/pet.js';
import type { Quota } from '../../../api/rate-limit-headers.js';
import type { KeyPress } from '../../../terminal/full-screen.js';
import { type KeyAction, type KeyContext, mapKey } from './keys.js';
import {
  addCreatedPet,
  addPage,
  findCache,
  findRefreshTarget,
  formatPetId,
  type LoadedPage,
  type PageCaches,
  type StatusFilter,
  searchPets,
  statusFilters,
} from './page-cache.js';

/** A request that waits. */
interface Wait {
  /** In milliseconds since the Unix epoch. */
  readonly until: number;
  /** Such as `for the quota of sandbox`. */
  readonly reason: string;
}

/** Everything that the screen shows, apart from its size and the time. */
export interface BrowseState extends KeyContext {
  readonly status: StatusFilter;
  readonly caches: PageCaches;
  /** Index of the selected pet among the visible ones. */
  readonly selected: number;
  /** Lines of the details or the help above the top of the screen. */
  readonly scrollOffset: number;
  /** Lists with a request in flight. */
  readonly loading: readonly StatusFilter[];
  /** Index to select when the requested page arrives. */
  readonly pendingSelection?: number | undefined;
  readonly waits: readonly Wait[];
  readonly message?: { readonly text: string; readonly isError?: true } | undefined;
  readonly quota: Quota;
}

/** What fits on the screen. */
export interface Viewport {
  readonly petRows: number;
  readonly maxScrollOffset: number;
}

export type BrowseEvent =
  | { readonly kind: 'key'; readonly key: KeyPress; readonly viewport: Viewport }
  | ({ readonly kind: 'pageLoaded'; readonly page: LoadedPage } & PageRequest)
  | { readonly kind: 'loadFailed'; readonly status: StatusFilter; readonly message: string }
  | { readonly kind: 'petCreated'; readonly pet: PetRecord }
  | { readonly kind: 'message'; readonly text: string; readonly isError?: true }
  | { readonly kind: 'waitStarted' | 'waitEnded'; readonly wait: Wait }
  | { readonly kind: 'quota'; readonly quota: Quota };

interface PageRequest {
  readonly status: StatusFilter;
  /** Whether the page replaces the loaded ones. */
  readonly isFirstPage: boolean;
}

/** A side effect that an event causes. */
export type Effect =
  | ({ readonly kind: 'load' } & PageRequest)
  | { readonly kind: 'copyId'; readonly id: string }
  | { readonly kind: 'add' | 'quit' };

export type Transition = readonly [state: BrowseState, ...effects: readonly Effect[]];

/** Returns the initial state, which loads the first page. */
export function initialize(quota: Quota): Transition {
  const state: BrowseState = {
    view: 'list',
    search: '',
    isTyping: false,
    status: 'all',
    caches: {},
    loading: [],
    waits: [],
    quota,
    ...listStart,
  };
  return load(state, 'all', true);
}

const listStart = { selected: 0, scrollOffset: 0, pendingSelection: undefined };

/** Returns the state after an event, with the effects to perform. */
export function update(state: BrowseState, event: BrowseEvent): Transition {
  switch (event.kind) {
    case 'key': {
      const action = mapKey(event.key, state);
      if (!action) return [state];
      return applyAction({ ...state, message: undefined }, action, event.viewport);
    }
    case 'pageLoaded':
      return [applyPage(state, event)];
    case 'loadFailed': {
      const message = { text: event.message, isError: true } as const;
      return [{ ...endLoading(state, event.status), message, pendingSelection: undefined }];
    }
    case 'petCreated':
      return [selectCreatedPet(state, event.pet)];
    case 'message':
      return [{ ...state, message: event }];
    case 'waitStarted':
      return [{ ...state, waits: [...state.waits, event.wait] }];
    case 'waitEnded':
      return [{ ...state, waits: state.waits.filter((wait) => wait !== event.wait) }];
    case 'quota':
      return [{ ...state, quota: event.quota }];
  }
}

export function getVisiblePets({ caches, status, search }: BrowseState): readonly PetRecord[] {
  return searchPets(findCache(caches, status), search);
}

function applyAction(state: BrowseState, action: KeyAction, viewport: Viewport): Transition {
  switch (action.kind) {
    case 'move':
      return move(state, action, viewport);
    case 'changeStatus': {
      const step = action.isBackward ? statusFilters.length - 1 : 1;
      const index = (statusFilters.indexOf(state.status) + step) % statusFilters.length;
      const status = statusFilters[index] as StatusFilter;
      const changed = { ...state, ...listStart, status };
      return findCache(state.caches, status) ? [changed] : load(changed, status, true);
    }
    case 'search': {
      const isTyping = action.text !== '' && state.isTyping;
      return [{ ...state, view: 'list', search: action.text, isTyping, selected: 0 }];
    }
    case 'startSearch':
      return [{ ...state, view: 'list', isTyping: true }];
    case 'toggleDetails':
      return [{ ...state, view: state.view === 'details' ? 'list' : 'details', scrollOffset: 0 }];
    case 'help':
      return [{ ...state, view: 'help', scrollOffset: 0 }];
    case 'back':
      if (state.view !== 'list') return [{ ...state, view: 'list' }];
      return [{ ...state, search: '', isTyping: false, selected: 0 }];
    case 'refresh':
      return load(state, findRefreshTarget(state.caches, state.status), true);
    case 'copyId': {
      const pet = getVisiblePets(state)[state.selected];
      return pet ? [state, { kind: 'copyId', id: formatPetId(pet) }] : [state];
    }
    case 'add':
    case 'quit':
      return [state, { kind: action.kind }];
  }
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
  const target = state.selected + delta;
  const moved = { ...state, ...listStart, selected: clamp(target, last) };
  const isPastEnd = by !== 'all' && target > last;
  const hasMore = findCache(state.caches, state.status)?.completeness === 'partial';
  if (!isPastEnd || !hasMore) return [moved];
  return load({ ...moved, pendingSelection: target }, state.status, false);
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}

/** Starts a request, unless one for this list is in flight. */
function load(state: BrowseState, status: StatusFilter, isFirstPage: boolean): Transition {
  if (state.loading.includes(status)) return [state];
  const next = { ...state, loading: [...state.loading, status] };
  return [next, { kind: 'load', status, isFirstPage }];
}

function endLoading(state: BrowseState, status: StatusFilter): BrowseState {
  return { ...state, loading: state.loading.filter((other) => other !== status) };
}

/** Adds a page and keeps the same pet selected if it is still there. */
function applyPage(
  before: BrowseState,
  { status, page, isFirstPage }: Extract<BrowseEvent, { kind: 'pageLoaded' }>,
): BrowseState {
  const selectedPet = getVisiblePets(before)[before.selected];
  const caches = { ...before.caches, [status]: addPage(before.caches[status], page, isFirstPage) };
  const state = { ...endLoading(before, status), caches, pendingSelection: undefined };
  const pets = getVisiblePets(state);
  const index = selectedPet ? findPet(pets, selectedPet) : -1;
  const selected = before.pendingSelection ?? (index === -1 ? state.selected : index);
  return { ...state, selected: clamp(selected, pets.length - 1) };
}

function findPet(pets: readonly PetRecord[], pet: PetRecord): number {
  const id = formatPetId(pet);
  return pets.findIndex((other) => formatPetId(other) === id);
}

function selectCreatedPet(before: BrowseState, pet: PetRecord): BrowseState {
  const caches = addCreatedPet(before.caches, pet);
  const state = { ...before, caches, view: 'list', search: '', isTyping: false } as const;
  const text = `✓ Added ${pet.name} (id ${formatPetId(pet)})`;
  return {
    ...state,
    selected: Math.max(0, findPet(getVisiblePets(state), pet)),
    message: { text },
  };
}
