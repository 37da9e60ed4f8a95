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
  const shown = findCache(before.caches, before.status);
  if (!shown || findCache(caches, before.status)) return [showPage(before, caches, status)];
  // The list came from all pets, which no longer fit on one page. It stays until its own first page arrives.
  const state = showPage(before, { ...caches, [before.status]: shown }, status);
  return load(state, state.status, { isFirstPage: true });
}

function showPage(before: BrowseState, caches: PageCaches, status: StatusFilter): BrowseState {
  const loaded = { ...endLoading(before, status), caches, pendingSelection: undefined };
  const state = closeMissingDetails(before, keepSelection(before, loaded));
  const last = getVisiblePets(state).length - 1;
  const isComplete = findCache(caches, state.status)?.completeness !== 'partial';
  const loadsAll = state.loadsAll && !(status === state.status && isComplete);
  const target = before.followsEnd ? last : before.pendingSelection;
  return { ...state, loadsAll, selected: target === undefined ? state.selected : clamp(target, last) };
}

/** Closes the details of a pet that is no longer in the list: they would show another pet. */
function closeMissingDetails(before: BrowseState, after: BrowseState): BrowseState {
  const pet = getVisiblePets(before)[before.selected];
  if (before.view !== 'details' || !pet || findPet(getVisiblePets(after), pet) !== -1) return after;
  const text = `Pet ${formatPetId(pet)} is no longer in the list`;
  return { ...after, view: 'list', scrollOffset: 0, message: { text } };
}

/** Adds a created pet and selects it. If the list does not contain it, filter and selection stay. */
export function applyCreatedPet(before: BrowseState, pet: PetRecord, batch: PetBatch): BrowseState {
  const caches = addCreatedPet(before.caches, pet, batch);
  const state = { ...before, ...listStart, caches, view: 'list', search: '', afterCursor: 0, isTyping: false } as const;
  const selected = findPet(getVisiblePets(state), pet);
  const text = `✓ Added ${pet.name} (id ${formatPetId(pet)})`;
  if (selected === -1) {
    const isElsewhere = before.status !== 'all' && pet.status !== undefined && pet.status !== before.status;
    return { ...before, caches, message: { text: isElsewhere ? `${text}, status ${pet.status}` : text } };
  }
  return { ...state, loadsAll: before.loadsAll && needsEveryPet(state), selected, message: { text } };
}
