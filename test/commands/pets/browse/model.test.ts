import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import { getKeyHints, pressKey } from '../../../../src/commands/pets/browse/keys.js';
import {
  addCreatedPet,
  addPage,
  type BrowseState,
  getSelectedIndex,
  initialize,
} from '../../../../src/commands/pets/browse/model.js';
import { getVisiblePets } from '../../../../src/commands/pets/browse/visible-pets.js';

const start = initialize({});
const loaded = withPage(start, petsFrom(1, 20), 'yes');

/** Returns the state after these keys: names, or single characters. */
function press(state: BrowseState, ...keys: readonly string[]): BrowseState {
  const viewport = { petRows: 10, maxScrollOffset: 3 };
  const toKey = (key: string) => ([...key].length === 1 ? { name: '', text: key } : { name: key });
  return keys.reduce((before, key) => pressKey(before, toKey(key), viewport), state);
}

/** Returns pets with these ids, named `Pet 1`, `Pet 2` and so on. */
function petsFrom(first: number, count: number): readonly PetRecord[] {
  return Array.from({ length: count }, (_, index) => ({ id: first + index, name: `Pet ${first + index}` }));
}

function withPage(state: BrowseState, pets: readonly PetRecord[], hasMore: 'yes' | 'no' = 'no', isFirst = true) {
  return addPage(state, { pets, hasMore }, isFirst);
}

function idsOf(state: BrowseState) {
  return getVisiblePets(state).map(({ id }) => id);
}

function selectedId(state: BrowseState) {
  return getVisiblePets(state)[getSelectedIndex(state)]?.id;
}

test.each<[readonly string[], number]>([
  [['pagedown'], 11],
  [['pagedown', 'down', 'pageup'], 2],
  [['pagedown', 'home'], 1],
])('the keys %j select pet %i', (keys, id) => {
  expect(selectedId(press(loaded, ...keys))).toBe(id);
});

describe('the filter', () => {
  test.each<[string, string | undefined, readonly string[], string | undefined]>([
    ['a letter starts a filter, q too', undefined, ['q'], 'q'],
    ['another letter extends it', 'a', ['b'], 'ab'],
    ['? and / are characters of a filter', 'a', ['?', '/'], 'a?/'],
    ['? after / is a character', undefined, ['/', '?'], '?'],
    ['Backspace deletes one character', 'a🦊', ['backspace'], 'a'],
    ['Backspace ends a filter of one character', 'a', ['backspace'], undefined],
    ['Ctrl-U clears the filter', 'abc', ['ctrl+u'], undefined],
    ['Ctrl-W deletes the word before the cursor', 'ada rex ', ['ctrl+w'], 'ada '],
    ['an unknown key does nothing', 'a', ['f5', 'ctrl+a', ''], 'a'],
    ['a filter has at most 200 characters', 'x'.repeat(200), ['x'], 'x'.repeat(200)],
  ])('%s', (_, search, keys, expected) => {
    expect(press({ ...loaded, search }, ...keys).search).toBe(expected);
  });

  test('the pet that a filter found stays selected when Esc clears it', () => {
    expect(selectedId(press(withPage(start, petsFrom(1, 20)), '9', 'down', 'escape'))).toBe(19);
  });
});

test('Esc closes a view, stops loading, clears the filter, then quits', () => {
  let state = press(loaded, '1', 'end', 'f1');
  const meanings: unknown[] = [];
  for (let count = 0; count < 4; count += 1) {
    meanings.push(getKeyHints(state).find(([key]) => key === 'Esc')?.[1]);
    state = press(state, 'escape');
  }
  expect(meanings).toEqual(['close help', 'stop loading', 'clear filter', 'quit']);
  expect(state).toMatchObject({ view: 'list', loading: undefined, search: undefined, request: 'quit' });
});

describe('loading', () => {
  test('starts with the first page', () => {
    expect([start.loading, loaded.loading]).toEqual(['page', undefined]);
  });

  test('Down past the last pet loads the next page, and selects its first pet', () => {
    const state = press(withPage(start, petsFrom(1, 2), 'yes'), 'down', 'down', 'down');
    expect(state.loading).toBe('page');
    expect(selectedId(withPage(state, petsFrom(3, 2), 'no', false))).toBe(3);
  });

  test('End loads every page and selects the last pet, unless a key moves', () => {
    const state = withPage(press(loaded, 'end'), petsFrom(21, 20), 'yes', false);
    expect([state.loading, selectedId(state)]).toEqual(['all', 40]);
    const last = withPage(press(state, 'up'), petsFrom(41, 5), 'no', false);
    expect([last.loading, selectedId(last)]).toEqual([undefined, 39]);
    expect(press(last, 'end').loading).toBeUndefined();
  });

  test('a filter and a sort order load nothing', () => {
    expect(press(loaded, '4', 'ctrl+s').loading).toBeUndefined();
  });
});

describe('the list', () => {
  test('Tab starts a list with the next status, and Shift-Tab with the previous one', () => {
    const next = press(loaded, 'tab');
    expect(next).toMatchObject({ status: 'available', list: start.list + 1, pets: [], loading: 'page' });
    expect(press(next, 'shift+tab')).toMatchObject({ status: 'all', list: start.list + 2 });
  });

  test('a reload keeps the list until its first page arrives, and the pet selected', () => {
    const state = press(loaded, 'down', 'down', 'ctrl+r');
    expect([state.list, state.pets.length]).toEqual([start.list + 1, 20]);
    const reloaded = withPage(state, petsFrom(2, 5));
    expect([reloaded.pets.length, selectedId(reloaded)]).toEqual([5, 3]);
  });

  test('the selected pet stays selected while pages arrive and in another order', () => {
    const pets = [
      { id: 5, name: 'Zoe', status: 'sold' },
      { id: 7, name: 'Ada', status: 'available' },
    ];
    const state = press(withPage(start, pets, 'yes'), 'down', 'up', 'ctrl+s');
    expect([idsOf(state), selectedId(state)]).toEqual([[7, 5], 5]);
    const more = withPage(state, [{ id: 9, name: 'Bo' }], 'no', false);
    expect([idsOf(more), selectedId(more)]).toEqual([[7, 9, 5], 5]);
    expect(idsOf(press(more, 'ctrl+s'))).toEqual([7, 5, 9]);
  });

  test('a page replaces a pet that it has again', () => {
    const state = withPage(withPage(start, petsFrom(1, 2), 'yes'), [{ id: 2, name: 'Rex' }], 'no', false);
    expect(getVisiblePets(state).map(({ name }) => name)).toEqual(['Pet 1', 'Rex']);
  });
});

describe('a created pet', () => {
  const rex = { id: 99, name: 'Rex', status: 'sold' };

  test('is selected, and ends the filter', () => {
    const state = addCreatedPet(press(loaded, '1', '2'), rex);
    expect([state.search, selectedId(state), state.message?.text]).toEqual([undefined, 99, '✓ Added Rex (id 99)']);
  });

  test('with another status starts the list of all pets, which keeps the pet selected', () => {
    const state = addCreatedPet(withPage(press(loaded, 'tab'), petsFrom(1, 20)), rex);
    expect([state.status, state.loading]).toEqual(['all', 'page']);
    expect(selectedId(withPage(state, petsFrom(1, 20), 'yes'))).toBe(99);
  });

  test('cannot be added in read-only mode', () => {
    const state = press(initialize({}, true), 'ctrl+n');
    expect([state.request, state.message?.text]).toEqual([undefined, 'Cannot add a pet: read-only mode is on']);
  });
});

describe('details and help', () => {
  test('Enter opens the details, Down shows the next pet, and Enter closes them', () => {
    const state = press(loaded, 'return', 'down');
    expect([state.view, selectedId(state)]).toEqual(['details', 2]);
    expect(press(state, 'return').view).toBe('list');
  });

  test('PgDn scrolls as far as the text goes, and any other key closes the help', () => {
    const state = press(loaded, '?', 'pagedown', 'pagedown');
    expect(state).toMatchObject({ view: 'help', scrollOffset: 3 });
    const { view, search } = press(state, 'a');
    expect([view, search]).toEqual(['list', undefined]);
  });
});
