import { describe, expect, test } from 'vitest';
import { initialize } from '../../../../src/commands/pets/browse/model.js';
import type { BrowseEvent, BrowseState } from '../../../../src/commands/pets/browse/state.js';
import { getVisiblePets } from '../../../../src/commands/pets/browse/visible-pets.js';
import { ctrlKey, namedKey, page, petsFrom, play, press, typed } from '../../../support/browse-events.js';

const [up, down, end, esc, tab] = ['up', 'down', 'end', 'escape', 'tab'].map((name) => press(namedKey(name))) as [
  BrowseEvent,
  ...BrowseEvent[],
] as [BrowseEvent, BrowseEvent, BrowseEvent, BrowseEvent, BrowseEvent];
const nextPage = { kind: 'load', leavesHalf: false };
const rest = { kind: 'load', leavesHalf: true };

function idsOf(state: BrowseState) {
  return getVisiblePets(state).map(({ id }) => id);
}

function selectedId(state: BrowseState) {
  return getVisiblePets(state)[state.selected]?.id;
}

describe('loading', () => {
  test('starts with the first page', () => {
    const [state, ...effects] = initialize({});
    expect(effects).toEqual([{ kind: 'open', status: 'all' }]);
    expect(play([page(petsFrom(1, 20), true)], state)).toMatchObject({ state: { loaded: 'partial' }, effects: [] });
  });

  test('Down past the last pet loads the next page once, and selects its first pet', () => {
    const events = [page(petsFrom(1, 2), true), down, down, down];
    const { state, effects } = play(events);
    expect(effects).toEqual([nextPage]);
    expect(selectedId(play([page(petsFrom(3, 2), false, false)], state).state)).toBe(3);
  });

  test('End loads every page within half of the quota and selects the last pet, unless a key moves', () => {
    const { state, effects } = play([page(petsFrom(1, 20), true), end, page(petsFrom(21, 20), true, false)]);
    expect(effects).toEqual([{ kind: 'grantHalf' }, rest, rest]);
    expect(selectedId(state)).toBe(40);
    const last = play([up, page(petsFrom(41, 5), false, false)], state);
    expect({ selected: selectedId(last.state), effects: last.effects }).toEqual({ selected: 39, effects: [] });
    expect(play([end], last.state).effects).toEqual([]);
  });

  test('a filter and a sort order load nothing', () => {
    expect(play([page(petsFrom(1, 20), true), ...typed('4'), press(ctrlKey('s'))]).effects).toEqual([]);
  });

  test('Esc stops loading, clears the filter, then quits', () => {
    const start = play([page(petsFrom(1, 20), true), ...typed('1'), end]).state;
    const { state, effects } = play([esc, esc, esc], start);
    expect(effects).toEqual([{ kind: 'stop' }, { kind: 'quit' }]);
    expect(state.search).toBe('');
    expect(play([esc], start).state.message?.text).toBe('Stopped at 20 pets. Press End to load the rest.');
  });

  test('one full page without a next link may not be all', () => {
    expect(play([page(petsFrom(1, 100))]).state.loaded).toBe('unknown');
    expect(play([page(petsFrom(1, 99))]).state.loaded).toBe('complete');
    expect(play([page(petsFrom(1, 100), true), page(petsFrom(101, 100), false, false)]).state.loaded).toBe('complete');
  });

  test('a failure ends loading', () => {
    const message = { text: 'no answer', severity: 'error' } as const;
    const { state } = play([page(petsFrom(1, 20), true), end, { kind: 'loadFailed', message }]);
    expect(state).toMatchObject({ loading: undefined, message });
  });
});

describe('the list', () => {
  test('Tab starts a list with the next status, and Shift-Tab with the previous one', () => {
    const { state, effects } = play([page(petsFrom(1, 20)), tab]);
    expect(effects).toEqual([{ kind: 'open', status: 'available' }]);
    expect(state).toMatchObject({ pets: [], loaded: 'none', loading: 'page' });
    expect(play([press({ ...namedKey('tab'), shift: true })], state).effects).toEqual([
      { kind: 'open', status: 'all' },
    ]);
  });

  test('a reload keeps the list until its first page arrives, and the pet selected', () => {
    const { state, effects } = play([page(petsFrom(1, 20)), down, down, press(ctrlKey('r'))]);
    expect(effects).toEqual([{ kind: 'open', status: 'all' }]);
    expect(state.pets).toHaveLength(20);
    const reloaded = play([page(petsFrom(2, 5))], state).state;
    expect([reloaded.pets.length, selectedId(reloaded)]).toEqual([5, 3]);
  });

  test('the pet that a filter found stays selected when Esc clears it', () => {
    const { state } = play([page(petsFrom(1, 20)), ...typed('9'), down, esc]);
    expect(selectedId(state)).toBe(19);
  });

  test('the selected pet stays selected while pages arrive and in another order', () => {
    const pets = [
      { id: 5, name: 'Zoe', status: 'sold' },
      { id: 7, name: 'Ada', status: 'available' },
    ];
    const { state } = play([page(pets, true), press(ctrlKey('s'))]);
    expect([idsOf(state), selectedId(state)]).toEqual([[7, 5], 5]);
    const more = play([page([{ id: 9, name: 'Bo' }], false, false)], state).state;
    expect([idsOf(more), selectedId(more)]).toEqual([[7, 9, 5], 5]);
    expect(idsOf(play([press(ctrlKey('s'))], more).state)).toEqual([7, 5, 9]);
  });

  test('a page replaces a pet that it has again', () => {
    const { state } = play([page(petsFrom(1, 2), true), page([{ id: 2, name: 'Rex' }], false, false)]);
    expect(getVisiblePets(state).map(({ name }) => name)).toEqual(['Pet 1', 'Rex']);
  });

  test('a filter has at most 200 characters', () => {
    expect(play(typed('x'.repeat(201))).state.search).toHaveLength(200);
  });
});

describe('a created pet', () => {
  const added = { kind: 'added', pet: { id: 99, name: 'Rex', status: 'sold' } } as const;

  test('is selected, and a filter that hides it ends', () => {
    const shown = play([page(petsFrom(1, 20)), ...typed('9'), added]).state;
    expect([shown.search, selectedId(shown)]).toEqual(['9', 99]);
    const hidden = play([page(petsFrom(1, 20)), ...typed('12'), added]).state;
    expect([hidden.search, selectedId(hidden)]).toEqual(['', 99]);
    expect(hidden.message?.text).toBe('✓ Added Rex (id 99)');
  });

  test('with another status starts the list of all pets, which keeps the pet selected', () => {
    const { state, effects } = play([tab, page(petsFrom(1, 20)), added]);
    expect(effects.at(-1)).toEqual({ kind: 'open', status: 'all' });
    const loaded = play([page(petsFrom(1, 20), true)], state).state;
    expect(selectedId(loaded)).toBe(99);
  });

  test('cannot be added in read-only mode', () => {
    const { state, effects } = play([press(ctrlKey('n'))], initialize({}, true)[0]);
    expect(effects).toEqual([]);
    expect(state.message?.text).toBe('Cannot add a pet: read-only mode is on');
  });
});

describe('details and help', () => {
  test('Enter opens the details, Down shows the next pet, and Esc closes them', () => {
    const { state } = play([page(petsFrom(1, 20)), press(namedKey('enter')), down]);
    expect([state.view, selectedId(state)]).toEqual(['details', 2]);
    expect(play([esc], state).state.view).toBe('list');
  });

  test('PgDn scrolls as far as the text goes', () => {
    const { state } = play([...typed('?'), press(namedKey('pageDown')), press(namedKey('pageDown'))]);
    expect(state).toMatchObject({ view: 'help', scrollOffset: 3 });
  });

  test('Ctrl-Y copies the id', () => {
    expect(play([page(petsFrom(7, 1)), press(ctrlKey('y'))]).effects).toEqual([{ kind: 'copyId', id: '7' }]);
  });
});
