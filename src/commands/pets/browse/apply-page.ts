import type { PetRecord } from '../../../api/pet.js';
import { endLoading, load, needsEveryPet } from './loading.js';
import {
  addCreatedPet,
  addPage,
  findCache,
  formatPetId,
  type PageCaches,
  type PetBatch,
  type StatusFilter,
} from './page-cache.js';
import { clamp, findPet, keepSelection, listStart } from './selection.js';
import type { BrowseEvent, BrowseState, Transition } from './state.js';
import { getVisiblePets } from './visible-pets.js';

/** Adds a page and keeps the same pet selected if it is still there. */
export function applyPage(
  before: BrowseState,
  { status, page, isFirstPage }: Extract<BrowseEvent, { kind: 'pageLoaded' }>,
): Transition {
  const caches = { ...before.caches, [status]: addPage(findCache(before.caches, status), page, isFirstPage) };
  const shownCache = findCache(before.caches, before.status);
  if (!shownCache || findCache(caches, before.status)) return [showPage(before, caches, status)];
  // The list came from all pets, which no longer fit on one page. It stays until its own first page arrives.
  const state = showPage(before, { ...caches, [before.status]: shownCache }, status);
  return load(state, state.status, { isFirstPage: true });
}

function showPage(before: BrowseState, caches: PageCaches, status: StatusFilter): BrowseState {
  const isSameList = status === before.status;
  const pendingSelection = isSameList ? undefined : before.pendingSelection;
  const loadedState = { ...endLoading(before, status), caches, pendingSelection };
  const state = closeMissingDetails(before, keepSelection(before, loadedState));
  const last = getVisiblePets(state).length - 1;
  const isComplete = findCache(caches, state.status)?.completeness !== 'partial';
  const loadsAll = state.loadsAll && !(isSameList && isComplete);
  const requested = (isSameList ? before.pendingSelection : undefined) ?? state.selected;
  return { ...state, loadsAll, selected: clamp(before.followsEnd ? last : requested, last) };
}

/** Closes the details of a pet that is no longer in the list: they would show another pet. */
function closeMissingDetails(before: BrowseState, after: BrowseState): BrowseState {
  const pet = getVisiblePets(before)[before.selected];
  if (before.view !== 'details' || !pet || findPet(getVisiblePets(after), pet) !== -1) return after;
  const isPartial = findCache(after.caches, after.status)?.completeness === 'partial';
  const text = `Pet ${formatPetId(pet)} is ${isPartial ? 'not in the reloaded pages' : 'no longer in the list'}`;
  return { ...after, view: 'list', scrollOffset: 0, message: { text } };
}

/**
 * Adds a created pet and selects it; clears a filter that does not match it. Filter and selection stay if the list does not
 * contain the pet, or if the user has pressed a key meanwhile.
 */
export function applyCreatedPet(before: BrowseState, pet: PetRecord, batch: PetBatch): BrowseState {
  const caches = addCreatedPet(before.caches, pet, batch);
  const filtered = { ...before, ...listStart, caches, view: 'list' } as const;
  const unfiltered = { ...filtered, search: '', afterCursor: 0, isTyping: false };
  const state = findPet(getVisiblePets(filtered), pet) === -1 ? unfiltered : filtered;
  const selected = findPet(getVisiblePets(state), pet);
  const text = `✓ Added ${pet.name} (id ${formatPetId(pet)})`;
  if (selected !== -1 && before.canSelectCreated) {
    return { ...state, loadsAll: before.loadsAll && needsEveryPet(state), selected, message: { text } };
  }
  const isElsewhere = before.status !== 'all' && pet.status !== before.status;
  const status = pet.status === undefined ? 'no status' : `status ${pet.status}`;
  const message = { text: isElsewhere ? `${text}, ${status}` : text };
  return { ...keepSelection(before, { ...before, caches }), message };
}
