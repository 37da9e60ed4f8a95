import type { PetRecord } from '../../src/api/pet.js';
import { initialize, update } from '../../src/commands/pets/browse/model.js';
import type { BrowseEvent, BrowseState, Effect } from '../../src/commands/pets/browse/state.js';
import type { KeyPress } from '../../src/terminal/key-press.js';

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
  return Array.from({ length: count }, (_, index) => ({ id: first + index, name: `Pet ${first + index}` }));
}

/** Returns the event of a page that has arrived. */
export function page(pets: readonly PetRecord[], hasNext = false, isFirst = true): BrowseEvent {
  return { kind: 'page', pets, hasNext, isFirst };
}

/** Returns the event of a key. */
export function press(key: KeyPress): BrowseEvent {
  return { kind: 'key', key, viewport: { petRows: 10, maxScrollOffset: 3 } };
}

/** Returns an event for each letter. */
export function typed(letters: string): readonly BrowseEvent[] {
  return [...letters].map((letter) => press(letterKey(letter)));
}

/** Returns the key press of a letter. */
export function letterKey(letter: string): KeyPress {
  return { name: letter, ctrl: false, shift: false, text: letter };
}

/** Returns the key press of a named key without a character. */
export function namedKey(name: string): KeyPress {
  return { name, ctrl: false, shift: false };
}

/** Returns a key press with Ctrl. */
export function ctrlKey(name: string): KeyPress {
  return { name, ctrl: true, shift: false };
}
