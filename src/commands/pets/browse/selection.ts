import type { PetRecord } from '../../../api/pet.js';
import { formatPetId } from './page-cache.js';
import type { BrowseState } from './state.js';
import { getVisiblePets } from './visible-pets.js';

/** The start of a list. */
export const listStart = { selected: 0, scrollOffset: 0, pendingSelection: undefined, followsEnd: false };

/** Returns the state after a change of the list, with the same pet selected if it is still there. */
export function keepSelection(before: BrowseState, after: BrowseState): BrowseState {
  const pet = getVisiblePets(before)[before.selected];
  const pets = getVisiblePets(after);
  const index = pet ? findPet(pets, pet) : -1;
  return { ...after, selected: clamp(index === -1 ? before.selected : index, pets.length - 1) };
}

/** Returns the index of the pet with the same id, or -1. */
export function findPet(pets: readonly PetRecord[], pet: PetRecord): number {
  const id = formatPetId(pet);
  return pets.findIndex((other) => formatPetId(other) === id);
}

/** Returns the integer between 0 and `max` that is nearest to the value; 0 if `max` is negative. */
export function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
