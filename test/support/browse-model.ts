import type { PetRecord } from '../../src/api/pet.js';
import { initialize, update } from '../../src/commands/pets/browse/model.js';
import type { StatusFilter } from '../../src/commands/pets/browse/page-cache.js';
import type { BrowseEvent, BrowseState, Effect } from '../../src/commands/pets/browse/state.js';
import type { KeyPress } from '../../src/terminal/key-press.js';
import { letterKey } from './key-press.js';

/** Returns the state after these events, and all their effects. */
export function play(events: readonly BrowseEvent[], start: BrowseState = initialize({})[0]) {
  const effects: Effect[] = [];
  const state = events.reduce((before, event) => {
    const [after, ...caused] = update(before, event);
    effects.push(...caused);
    return after;
  }, start);
  return { state, effects };
}

/** Returns pets with these ids, named `Pet 1`, `Pet 2` and so on. */
export function petsFrom(first: number, count: number): readonly PetRecord[] {
  return range(first, count).map((id) => ({ id: Number(id), name: `Pet ${id}` }));
}

/** Returns this many integers in a row, as text. */
export function range(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

/** Returns the event of a page that has arrived. */
export function page(
  status: StatusFilter,
  pets: readonly PetRecord[],
  hasNext: boolean,
  isFirstPage = true,
): BrowseEvent {
  return { kind: 'pageLoaded', status, isFirstPage, page: { pets, hasNext, at: 0, request: 'GET /v1/pets' } };
}

/** Returns the effect that requests a page. */
export function load(status: StatusFilter, isFirstPage: boolean, isBackground = false): Effect {
  return { kind: 'load', status, isFirstPage, isBackground };
}

/** Returns the event of a key. */
export function press(key: KeyPress): BrowseEvent {
  return { kind: 'key', key, viewport: { petRows: 10, maxScrollOffset: 3 } };
}

/** Returns an event for each letter. */
export function typed(letters: string): readonly BrowseEvent[] {
  return [...letters].map((letter) => press(letterKey(letter)));
}
