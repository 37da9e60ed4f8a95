import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import {
  type BrowseEvent,
  type BrowseState,
  type Effect,
  getVisiblePets,
  initialize,
  update,
} from '../../../../src/commands/pets/browse/model.js';
import { formatPetId, type StatusFilter } from '../../../../src/commands/pets/browse/page-cache.js';
import type { KeyPress } from '../../../../src/terminal/full-screen.js';
import { ctrlKey, letterKey, namedKey } from '../../../support/key-press.js';

describe('what is read', () => {
  test('the first page, and no more', () => {
    expect(initialize({}).slice(1)).toEqual([load('all', true)]);
  });

  test.each([
    ['Down', namedKey('down'), 'line'],
    ['PgDn', namedKey('pageDown'), 'page'],
  ])('%s past the end reads the page that follows, once', (_, key) => {
    const atEnd = play([page('all', petsFrom(1, 20), true), press(namedKey('end'))]).state;
    const { state, effects } = play([press(key), press(key)], atEnd);
    expect(effects).toEqual([load('all', false)]);
    const after = play([page('all', petsFrom(21, 20), false, false)], state).state;
    expect(getVisiblePets(after)).toHaveLength(40);
    expect(after.selected).toBe(key.name === 'down' ? 20 : 29);
    expect(play([press(namedKey('end')), press(key)], after).effects).toEqual([]);
  });

  test('End goes to the last pet that was read, and reads nothing', () => {
    const { state, effects } = play([page('all', petsFrom(1, 20), true), press(namedKey('end'))]);
    expect({ selected: state.selected, effects }).toEqual({ selected: 19, effects: [] });
  });

  test('Up goes back, and not beyond the first', () => {
    const start = play([page('all', petsFrom(1, 20), true)]).state;
    const keys = [press(namedKey('down')), press(namedKey('pageUp')), press(namedKey('up'))];
    expect(play(keys, start).state.selected).toBe(0);
  });

  test('another status is asked for where not all pets were read, and kept', () => {
    const start = play([page('all', petsFrom(1, 20), true)]).state;
    const { state, effects } = play([press(namedKey('tab'))], start);
    expect(effects).toEqual([load('available', true)]);
    const there = play([page('available', petsFrom(1, 5), false)], state).state;
    const around = Array.from({ length: 4 }, () => press(namedKey('tab')));
    expect(play(around, there).effects).toEqual([load('pending', true), load('sold', true)]);
  });

  test('a status follows from all pets where all were read', () => {
    const pets = petsFrom(1, 20).map((pet, index) => ({
      ...pet,
      status: index % 2 === 0 ? 'sold' : 'available',
    }));
    const start = play([page('all', pets, false)]).state;
    const { state, effects } = play([press({ ...namedKey('tab'), shift: true })], start);
    expect(effects).toEqual([]);
    expect(getVisiblePets(state).map(formatPetId)).toEqual(
      [1, 3, 5, 7, 9, 11, 13, 15, 17, 19].map(String),
    );
    expect(play([press(ctrlKey('r'))], state).effects).toEqual([load('all', true)]);
  });

  test('as many pets as were asked for, without a link, may not be all', () => {
    const start = play([page('all', petsFrom(1, 100), false)]).state;
    expect(play([press(namedKey('tab'))], start).effects).toEqual([load('available', true)]);
  });

  test('a refresh reads again what is shown, keeps the chosen pet, and forgets other pages', () => {
    const start = play([
      page('all', petsFrom(1, 20), true),
      press(namedKey('down')),
      press(namedKey('down')),
    ]).state;
    const { state, effects } = play([press(ctrlKey('r')), press(ctrlKey('r'))], start);
    expect(effects).toEqual([load('all', true)]);
    const after = play([page('all', petsFrom(2, 5), false)], state).state;
    expect(formatPetId(getVisiblePets(after)[after.selected] as PetRecord)).toBe('3');
    expect(getVisiblePets(after)).toHaveLength(5);
  });

  test('what could not be read is told, and can be asked for again', () => {
    const start = play([page('all', petsFrom(1, 20), true), press(namedKey('end'))]).state;
    const down = press(namedKey('down'));
    const failed = { kind: 'loadFailed', status: 'all', message: 'no answer' } as const;
    const { state } = play([down, failed], start);
    expect(state.message).toEqual({ text: 'no answer', isError: true });
    expect(play([down], state).effects).toEqual([load('all', false)]);
  });
});

describe('a pet that was added', () => {
  const rex: PetRecord = { id: 99, name: 'Rex', status: 'sold' };
  test('is shown and chosen at once, and nothing is read', () => {
    const start = play([page('all', petsFrom(1, 20), true), ...typed('3')]).state;
    const { state, effects } = play([{ kind: 'petCreated', pet: rex }], start);
    expect(effects).toEqual([]);
    expect(getVisiblePets(state)[state.selected]).toBe(rex);
    expect(state.message?.text).toBe('added 99 Rex');
  });

  test('is there once, where a page that follows holds it too', () => {
    const { state } = play([
      page('all', petsFrom(1, 20), true),
      { kind: 'petCreated', pet: rex },
      page('all', [...petsFrom(21, 2), rex], false, false),
    ]);
    expect(getVisiblePets(state).filter((pet) => formatPetId(pet) === '99')).toHaveLength(1);
  });
});

test('a filter finds ids and names in what was read, whatever their case', () => {
  const { state, effects } = play([page('all', petsFrom(1, 30), true), ...typed('PET 2')]);
  expect(getVisiblePets(state).map(formatPetId)).toEqual(['2', ...range(20, 10)]);
  expect(effects).toEqual([]);
  expect(play([press(ctrlKey('y'))], state).effects).toEqual([{ kind: 'copyId', id: '2' }]);
  expect(getVisiblePets(play([press(namedKey('escape'))], state).state)).toHaveLength(30);
});

test('a text goes on to its last line, and back at once', () => {
  const keys = ['pageDown', 'down', 'up'].map((name) => press(namedKey(name)));
  const { state } = play([press(letterKey('?')), ...keys]);
  expect(state).toMatchObject({ view: 'help', scrollOffset: 2 });
  expect(play([press(namedKey('end')), press(namedKey('home'))], state).state.scrollOffset).toBe(0);
});

test('waits are kept until they are over', () => {
  const wait = { until: 5, reason: 'for the quota' };
  const { state } = play([{ kind: 'waitStarted', wait }]);
  expect(state.waits).toEqual([wait]);
  expect(play([{ kind: 'waitEnded', wait }], state).state.waits).toEqual([]);
});

/** The state after these events, and all that they asked for. */
function play(events: readonly BrowseEvent[], start: BrowseState = initialize({})[0]) {
  const effects: Effect[] = [];
  const state = events.reduce((before, event) => {
    const [after, ...asked] = update(before, event);
    effects.push(...asked);
    return after;
  }, start);
  return { state, effects };
}

function petsFrom(first: number, count: number): readonly PetRecord[] {
  return range(first, count).map((id) => ({ id: Number(id), name: `Pet ${id}` }));
}

function range(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(first + index));
}

function page(
  status: StatusFilter,
  pets: readonly PetRecord[],
  hasNext: boolean,
  isFirstPage = true,
): BrowseEvent {
  return { kind: 'pageLoaded', status, isFirstPage, page: { pets, hasNext, at: 0 } };
}

function load(status: StatusFilter, isFirstPage: boolean): Effect {
  return { kind: 'load', status, isFirstPage };
}

function press(key: KeyPress): BrowseEvent {
  return { kind: 'key', key, viewport: { petRows: 10, maxScrollOffset: 3 } };
}

function typed(letters: string): readonly BrowseEvent[] {
  return [...letters].map((letter) => press(letterKey(letter)));
}
