import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import { initialize } from '../../../../src/commands/pets/browse/model.js';
import { formatPetId } from '../../../../src/commands/pets/browse/page-cache.js';
import type { BrowseEvent, BrowseState } from '../../../../src/commands/pets/browse/state.js';
import { getVisiblePets } from '../../../../src/commands/pets/browse/visible-pets.js';
import { load, page, petsFrom, play, press, range, typed } from '../../../support/browse-model.js';
import { ctrlKey, letterKey, namedKey } from '../../../support/key-press.js';

test('a filter has at most 200 characters, and the screen says so', () => {
  const { state } = play(typed('x'.repeat(200)));
  expect(state.message).toBeUndefined();
  const longer = play(typed('y'), state).state;
  expect(longer.search).toBe('x'.repeat(200));
  expect(longer.message?.text).toBe('A filter has at most 200 characters');
});

test('a filter is edited at its cursor, which moves no selection, and ends with the filter', () => {
  const found = [page('all', petsFrom(1, 30), false), ...typed('2'), press(namedKey('down'))];
  const moved = play([...found, press(namedKey('left'))]).state;
  expect(moved).toMatchObject({ search: '2', afterCursor: 1, selected: 1 });
  const edited = play(typed('1'), moved).state;
  expect(edited).toMatchObject({ search: '12', afterCursor: 1 });
  const cleared = play([press(namedKey('escape')), ...typed('ab')], edited).state;
  expect(cleared).toMatchObject({ search: 'ab', afterCursor: 0 });
});

describe('loading', () => {
  test('starts with the first page only', () => {
    expect(initialize({}).slice(1)).toEqual([load('all', true)]);
  });

  test.each([
    ['Down', namedKey('down'), 'line'],
    ['PgDn', namedKey('pageDown'), 'page'],
  ])('%s past the end loads the next page once, and every key moves the selection', (_, key) => {
    const down = Array.from({ length: 19 }, () => press(namedKey('down')));
    const atEnd = play([page('all', petsFrom(1, 20), true), ...down]).state;
    const { state, effects } = play([press(key), press(key)], atEnd);
    expect(effects).toEqual([load('all', false)]);
    const after = play([page('all', petsFrom(21, 20), false, false)], state).state;
    expect(getVisiblePets(after)).toHaveLength(40);
    expect(after.selected).toBe(key.name === 'down' ? 21 : 39);
    expect(play([press(namedKey('end')), press(key)], after).effects).toEqual([]);
  });

  test('End loads every page and selects the last pet, unless the user moves', () => {
    const { state, effects } = play([page('all', petsFrom(1, 20), true), press(namedKey('end'))]);
    expect({ selected: state.selected, effects }).toEqual({
      selected: 19,
      effects: [{ kind: 'grantHalfQuota' }, load('all', false, true)],
    });
    const more = play([page('all', petsFrom(21, 20), true, false)], state);
    expect({ selected: more.state.selected, effects: more.effects }).toEqual({
      selected: 39,
      effects: [load('all', false, true)],
    });
    const last = play([press(namedKey('up')), page('all', petsFrom(41, 5), false, false)], more.state);
    expect({ selected: last.state.selected, effects: last.effects }).toEqual({ selected: 38, effects: [] });
  });

  test.each([
    ['a filter', typed('4')],
    ['a sort order', [press(ctrlKey('s'))]],
  ])('%s loads every page in the background', (_, events) => {
    const { state, effects } = play([page('all', petsFrom(1, 20), true), ...events]);
    expect(effects).toEqual([load('all', false, true)]);
    const { effects: after } = play(
      [page('all', petsFrom(21, 20), true, false), page('all', petsFrom(41, 20), false, false)],
      state,
    );
    expect(after).toEqual([load('all', false, true)]);
  });

  test('a filter also loads every page of another status', () => {
    const start = play([page('all', petsFrom(1, 20), true), ...typed('4')]).state;
    const { effects } = play([press(namedKey('tab')), page('available', petsFrom(1, 20), true)], start);
    expect(effects).toEqual([load('available', true), load('available', false, true)]);
  });

  test('Esc stops a reload of a complete list', () => {
    const start = play([page('all', petsFrom(1, 20), false), press(ctrlKey('r'))]).state;
    const stopped = play([press(namedKey('escape'))], start);
    expect(stopped.effects).toEqual([{ kind: 'stopLoading' }]);
    expect(stopped.state.message?.text).toBe('Stopped. Press Ctrl-R to reload the pets.');
  });

  test('Esc stops loading, then clears the filter, then quits', () => {
    const start = play([page('all', petsFrom(1, 20), true), ...typed('4')]).state;
    const esc = press(namedKey('escape'));
    const stopped = play([esc], start);
    expect(stopped.effects).toEqual([{ kind: 'stopLoading' }]);
    expect(stopped.state.message?.text).toBe('Stopped at 20 pets. Press End to load the rest.');
    const cleared = play([esc], stopped.state);
    expect(cleared).toMatchObject({ state: { search: '' }, effects: [] });
    expect(play([esc], cleared.state).effects).toEqual([{ kind: 'quit' }]);
  });

  test.each([['escape'], ['backspace']])('the pet that a filter found stays selected when %s clears it', (key) => {
    const start = play([page('all', petsFrom(1, 20), false), ...typed('9'), press(namedKey('down'))]).state;
    const { state } = play([press(namedKey(key))], start);
    expect(formatPetId(getVisiblePets(state)[state.selected] ?? {})).toBe('19');
  });

  test('a page that arrives after Esc is listed, and nothing more is loaded', () => {
    const start = play([page('all', petsFrom(1, 20), true), press(namedKey('end'))]).state;
    const events = [press(namedKey('escape')), page('all', petsFrom(21, 20), true, false)];
    const { state, effects } = play(events, start);
    expect(getVisiblePets(state)).toHaveLength(40);
    expect(effects).toEqual([{ kind: 'stopLoading' }]);
  });

  test('a reload while pages load in the background starts again', () => {
    const start = play([page('all', petsFrom(1, 20), true), ...typed('4')]).state;
    const { effects } = play([press(ctrlKey('r')), page('all', petsFrom(1, 20), true)], start);
    expect(effects).toEqual([{ kind: 'stopLoading' }, load('all', true), load('all', false, true)]);
  });

  test('Up stops at the first pet', () => {
    const start = play([page('all', petsFrom(1, 20), true)]).state;
    const keys = [press(namedKey('down')), press(namedKey('pageUp')), press(namedKey('up'))];
    expect(play(keys, start).state.selected).toBe(0);
  });

  test('another status is loaded once if the list of all pets is incomplete', () => {
    const start = play([page('all', petsFrom(1, 20), true)]).state;
    const { state, effects } = play([press(namedKey('tab'))], start);
    expect(effects).toEqual([load('available', true)]);
    const there = play([page('available', petsFrom(1, 5), false)], state).state;
    const around = Array.from({ length: 4 }, () => press(namedKey('tab')));
    expect(play(around, there).effects).toEqual([load('pending', true), load('sold', true)]);
  });

  test('a status is derived from a complete list of all pets', () => {
    const pets = petsFrom(1, 20).map((pet, index) => ({
      ...pet,
      status: index % 2 === 0 ? 'sold' : 'available',
    }));
    const start = play([page('all', pets, false)]).state;
    const { state, effects } = play([press({ ...namedKey('tab'), shift: true })], start);
    expect(effects).toEqual([]);
    expect(getVisiblePets(state).map(formatPetId)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19].map(String));
    expect(play([press(ctrlKey('r'))], state).effects).toEqual([load('all', true)]);
  });

  test('a full page without a link counts as incomplete', () => {
    const start = play([page('all', petsFrom(1, 100), false)]).state;
    expect(play([press(namedKey('tab'))], start).effects).toEqual([load('available', true)]);
  });

  test.each([
    ['all pets if they fit on one page', [], 'all'],
    ['one status if all pets fill several pages', [page('all', petsFrom(21, 5), false, false)], 'sold'],
  ] as const)('a refresh of a status loads %s', (_, more, target) => {
    const start = play([
      page('all', petsFrom(1, 20), more.length > 0),
      ...more,
      press({ ...namedKey('tab'), shift: true }),
    ]).state;
    expect(start.status).toBe('sold');
    expect(play([press(ctrlKey('r'))], start).effects).toEqual([load(target, true)]);
  });

  describe('a status derived from all pets, once they no longer fit on one page,', () => {
    const available = petsFrom(1, 20).map((pet) => ({ ...pet, status: 'available' }));
    const { state: start } = play([
      page('all', available, false),
      press(namedKey('tab')),
      press(namedKey('end')),
      press(namedKey('up')),
      press(ctrlKey('r')),
    ]);

    test.each([
      ['a next page', page('all', available, true)],
      ['a full page without a link', page('all', petsFrom(1, 100), false)],
    ])('loads the status, and keeps the list until then: %s', (_, grown) => {
      const { state, effects } = play([grown], start);
      expect(effects).toEqual([load('available', true)]);
      expect(state).toMatchObject({ status: 'available', selected: 18 });
      expect(getVisiblePets(state)).toEqual(available);
      const more = petsFrom(101, 30).map((pet) => ({ ...pet, status: 'available' }));
      const loaded = play([page('available', [...available, ...more], true)], state);
      expect(loaded).toMatchObject({ state: { selected: 18, loading: [] }, effects: [] });
      expect(getVisiblePets(loaded.state)).toHaveLength(50);
    });

    test('loads every page of the status if there is a filter', () => {
      const { effects } = play(
        [...typed('p'), page('all', available, true), page('available', available, true)],
        start,
      );
      expect(effects).toEqual([load('available', true), load('available', false, true)]);
    });

    test('keeps the list if the status fails to load', () => {
      const failed = { kind: 'loadFailed', status: 'available', text: 'no answer', severity: 'error' } as const;
      const { state, effects } = play([page('all', available, true), failed], start);
      expect(getVisiblePets(state)).toEqual(available);
      expect(effects).toEqual([load('available', true)]);
    });
  });

  test('details of a pet that a reload no longer lists are closed, and the screen says so', () => {
    const start = play([page('all', petsFrom(1, 20), false), press(namedKey('end')), press(namedKey('enter'))]).state;
    const same = play([press(ctrlKey('r')), page('all', petsFrom(11, 10), false)], start).state;
    expect(same).toMatchObject({ view: 'details', selected: 9, message: undefined });
    const gone = play([press(ctrlKey('r')), page('all', petsFrom(1, 5), false)], start).state;
    expect(gone).toMatchObject({ view: 'list', message: { text: 'Pet 20 is no longer in the list' } });
    const notOpen = play([press(namedKey('enter')), press(ctrlKey('r')), page('all', petsFrom(1, 5), false)], start);
    expect(notOpen.state.message).toBeUndefined();
  });

  test('details of a pet that may be on a later page are closed, and the screen does not call it missing', () => {
    const start = { ...play([page('all', petsFrom(1, 20), true)]).state, selected: 19, view: 'details' } as const;
    const { state } = play([press(ctrlKey('r')), page('all', petsFrom(1, 5), true)], start);
    expect(state).toMatchObject({ view: 'list', message: { text: 'Pet 20 is not in the reloaded pages' } });
  });

  test('a page of another list leaves the pet that is to be selected', () => {
    const down = press(namedKey('pageDown'));
    const atEnd = [...Array.from({ length: 2 }, () => down)];
    const start = play([page('all', petsFrom(1, 20), true), ...atEnd, press(namedKey('tab'))]).state;
    const { state } = play(
      [
        page('available', petsFrom(101, 20), true),
        ...atEnd,
        page('all', petsFrom(21, 20), true, false),
        page('available', petsFrom(121, 20), true, false),
      ],
      start,
    );
    expect(state).toMatchObject({ status: 'available', selected: 20 });
  });

  test('Enter opens no details without a pet', () => {
    const { state } = play([page('all', petsFrom(1, 20), false), ...typed('zzz'), press(namedKey('enter'))]);
    expect(state.view).toBe('list');
  });

  test.each([
    ['an incomplete', true],
    ['a complete', false],
  ])('a reload of %s list loads as many pages as before, and keeps the selected pet and the details', (_, hasNext) => {
    const later = [page('all', petsFrom(21, 20), true, false), page('all', petsFrom(41, 20), hasNext, false)];
    const pages = [page('all', petsFrom(1, 20), true), ...later];
    const start = { ...play(pages).state, selected: 54, view: 'details' } as const;
    const idAt = ({ selected, ...state }: BrowseState) => formatPetId(getVisiblePets(state)[selected] ?? {});
    let state = play([press(ctrlKey('r'))], start).state;
    for (const [index, event] of pages.entries()) {
      const next = play([event], state);
      state = next.state;
      expect(next.effects).toEqual(index < 2 ? [load('all', false, true)] : []);
      expect([idAt(state), getVisiblePets(state).length, state.view]).toEqual(['55', 60, 'details']);
    }
    expect(state.caches.all).toEqual(start.caches.all);
  });

  test('a reload after End keeps the selected pet if the list has grown', () => {
    const events = [page('all', petsFrom(1, 20), false), press(namedKey('end')), press(ctrlKey('r'))];
    const { state } = play([...events, page('all', petsFrom(1, 21), false)]);
    expect(state.selected).toBe(19);
  });

  test('Esc stops a reload, and the pages that it has not come to stay listed', () => {
    const pages = [page('all', petsFrom(1, 20), true), page('all', petsFrom(21, 20), true, false)];
    const start = play([...pages, press(ctrlKey('r')), page('all', petsFrom(1, 20), true)]).state;
    const { state, effects } = play([press(namedKey('escape'))], start);
    expect(effects).toEqual([{ kind: 'stopLoading' }]);
    expect(state.message?.text).toBe('Stopped. Reloaded 20 pets. Press End to reload the rest.');
    expect(getVisiblePets(state)).toHaveLength(40);
    const after = play([press(namedKey('end')), page('all', petsFrom(21, 5), false, false)], state);
    expect(getVisiblePets(after.state)).toHaveLength(25);
  });

  test('a refresh replaces all pages and keeps the selected pet', () => {
    const start = play([page('all', petsFrom(1, 20), true), press(namedKey('down')), press(namedKey('down'))]).state;
    const { state, effects } = play([press(ctrlKey('r')), press(ctrlKey('r'))], start);
    expect(effects).toEqual([load('all', true)]);
    const after = play([page('all', petsFrom(2, 5), false)], state).state;
    expect(formatPetId(getVisiblePets(after)[after.selected] as PetRecord)).toBe('3');
    expect(getVisiblePets(after)).toHaveLength(5);
  });

  test('a page that failed shows the error and can be loaded again', () => {
    const start = play([page('all', petsFrom(1, 1), true)]).state;
    const down = press(namedKey('down'));
    const failed = { kind: 'loadFailed', status: 'all', text: 'no answer', severity: 'error' } as const;
    const { state } = play([down, failed], start);
    expect(state.message).toMatchObject({ text: 'no answer', severity: 'error' });
    expect(play([down], state).effects).toEqual([load('all', false)]);
  });
});

describe('a created pet', () => {
  const rex: PetRecord = { id: 99, name: 'Rex', status: 'sold' };
  const created: BrowseEvent = {
    kind: 'petCreated',
    pet: rex,
    batch: { pets: [rex], request: 'POST /v1/pets', at: 0 },
  };
  const openForm = press(ctrlKey('n'));

  test('is selected at once, without a request', () => {
    const start = play([page('all', petsFrom(1, 20), true), ...typed('3'), openForm]).state;
    const { state, effects } = play([created], start);
    expect(effects).toEqual([]);
    expect(getVisiblePets(state)[state.selected]).toBe(rex);
    expect(state.message?.text).toBe('✓ Added Rex (id 99)');
  });

  test('keeps a filter that it matches', () => {
    const { state } = play([page('all', petsFrom(1, 20), false), ...typed('r'), openForm, created]);
    expect(state).toMatchObject({ search: 'r', message: { text: '✓ Added Rex (id 99)' } });
    expect(getVisiblePets(state)[state.selected]).toBe(rex);
  });

  test('changes neither filter nor selection after another key', () => {
    const down = press(namedKey('down'));
    const events = [page('all', petsFrom(1, 30), false), openForm, ...typed('2'), down, created, ...typed('1')];
    const { state } = play(events);
    expect(state).toMatchObject({ search: '21', selected: 0 });
    const { state: before } = play(events.slice(0, -1));
    expect(before).toMatchObject({ search: '2', selected: 1, message: { text: '✓ Added Rex (id 99)' } });
  });

  test('changes no filter after a second form was canceled', () => {
    const adds = { kind: 'adds', adds: [{ name: 'Rex', isSent: true }] } as const;
    const events = [page('all', petsFrom(1, 30), false), openForm, adds, ...typed('2'), openForm];
    const { state } = play([...events, { kind: 'addCanceled', until: 1 }, created]);
    expect(state).toMatchObject({ search: '2', selected: 0, message: { text: '✓ Added Rex (id 99)' } });
  });

  test.each<readonly [string, readonly BrowseEvent[], string]>([
    ['is reported', [], 'Canceled. Nothing was added.'],
    ['leaves the result of an earlier pet', [created], '✓ Added Rex (id 99)'],
    ['leaves an error', [{ kind: 'message', text: 'Not added', severity: 'error' }], 'Not added'],
  ])('a canceled form %s', (_, behindForm, text) => {
    const { state } = play([
      page('all', petsFrom(1, 3), false),
      openForm,
      ...behindForm,
      { kind: 'addCanceled', until: 1 },
    ]);
    expect(state.message?.text).toBe(text);
  });

  test('a canceled form leaves the progress of an earlier pet', () => {
    const adds = [{ name: 'Rex', isSent: true }];
    const { state } = play([{ kind: 'adds', adds }, openForm, { kind: 'addCanceled', until: 1 }]);
    expect(state.message).toBeUndefined();
  });

  test('of another status changes neither filter nor selection, and the screen says so', () => {
    const available = petsFrom(1, 30).map((pet) => ({ ...pet, status: 'available' }));
    const down = press(namedKey('down'));
    const start = play([page('all', available, false), press(namedKey('tab')), ...typed('2'), down, down]).state;
    const { state } = play([created], start);
    expect(state).toMatchObject({ status: 'available', search: '2', selected: 2 });
    expect(state.message?.text).toBe('✓ Added Rex (id 99), status sold');
    expect(
      getVisiblePets(play([press(namedKey('escape')), press({ ...namedKey('tab'), shift: true })], state).state),
    ).toHaveLength(31);
  });

  test('without a status is not in the list of a status, and the screen says so', () => {
    const start = play([page('all', petsFrom(1, 20), false), press(namedKey('tab'))]).state;
    const pet = { id: 99, name: 'Rex' };
    const { state } = play(
      [{ kind: 'petCreated', pet, batch: { pets: [pet], request: 'POST /v1/pets', at: 0 } }],
      start,
    );
    expect(state.message?.text).toBe('✓ Added Rex (id 99), no status');
  });

  test('appears once if a later page contains it, too', () => {
    const { state } = play([
      page('all', petsFrom(1, 20), true),
      created,
      page('all', [...petsFrom(21, 2), rex], false, false),
    ]);
    expect(getVisiblePets(state).filter((pet) => formatPetId(pet) === '99')).toHaveLength(1);
  });
});

test('a search finds ids and names that contain each word, ignoring case', () => {
  const { state, effects } = play([page('all', petsFrom(1, 30), false), ...typed('PET 2')]);
  expect(getVisiblePets(state).map(formatPetId)).toEqual(['2', '12', ...range(20, 10)]);
  expect(effects).toEqual([]);
  expect(play([press(ctrlKey('y'))], state).effects).toEqual([{ kind: 'copyId', id: '2' }]);
  expect(getVisiblePets(play([press(namedKey('escape'))], state).state)).toHaveLength(30);
});

test.each([
  ['elan', '1 2'],
  ['ÉLAN', '1 2'],
  ['e\u0301lan', '1 2'],
  ['zoe 3', '3'],
  ['lodz', '5'],
  ['οδος', '6'],
  ['がく', '4'],
  ['かく', ''],
])('the filter %s finds the pets %s', (filter, ids) => {
  const names = ['Élan', 'E\u0301lan', 'Zoë', 'がく', 'Łódź', 'ΟΔΟΣ'];
  const pets = names.map((name, index) => ({ id: index + 1, name }));
  const { state } = play([page('all', pets, false), ...typed(filter)]);
  expect(getVisiblePets(state).map(formatPetId).join(' ')).toBe(ids);
});

describe('Ctrl-S', () => {
  const pets = [
    { id: 10, name: 'ada', status: 'sold' },
    { id: 9, name: 'Zoe', status: 'available' },
    { id: 11, name: 'Bo' },
  ];
  const idsOf = (state: BrowseState) => getVisiblePets(state).map(formatPetId).join(' ');

  test('sorts by id, then name, then status, and keeps the pet selected', () => {
    const start = play([page('all', pets, false), press(namedKey('down'))]).state;
    expect(idsOf(start)).toBe('9 10 11');
    const byName = play([press(ctrlKey('s'))], start).state;
    expect({ ids: idsOf(byName), selected: byName.selected }).toEqual({ ids: '10 11 9', selected: 0 });
    const byStatus = play([press(ctrlKey('s'))], byName).state;
    expect({ ids: idsOf(byStatus), selected: byStatus.selected }).toEqual({ ids: '9 10 11', selected: 1 });
    expect(play([press(ctrlKey('s'))], byStatus).state.sort).toBe('id');
  });

  test('compares 64-bit ids exactly, negative and unknown ones too', () => {
    const ids = [9223372036854775807n, 9223372036854775806n, -3n, -20n, undefined, 5n];
    const { state } = play([
      page(
        'all',
        ids.map((id) => ({ id, name: 'x' })),
        false,
      ),
    ]);
    expect(idsOf(state)).toBe('-20 -3 5 9223372036854775806 9223372036854775807 -');
  });
});

test.each([
  ['details', [press(namedKey('enter'))]],
  ['list', []],
] as const)('Esc closes the help and shows the %s again', (view, before) => {
  const keys = [...before, press(namedKey('f1')), press(namedKey('escape'))];
  expect(play([page('all', petsFrom(1, 3), false), ...keys]).state.view).toBe(view);
});

test('the help scrolls to its last line and back', () => {
  const keys = ['pageDown', 'down', 'up'].map((name) => press(namedKey(name)));
  const { state } = play([press(letterKey('?')), ...keys]);
  expect(state).toMatchObject({ view: 'help', scrollOffset: 2 });
  expect(play([press(namedKey('end')), press(namedKey('home'))], state).state.scrollOffset).toBe(0);
});

test('Ctrl-N adds no pet in read-only mode, and says so', () => {
  const { state, effects } = play([press(ctrlKey('n'))], initialize({}, true)[0]);
  expect(effects).toEqual([]);
  expect(state.message).toEqual({ text: 'Cannot add a pet: read-only mode is on', severity: 'error' });
});

test('a wait is shown until it ends', () => {
  const wait = { until: 5, reason: 'for the quota' };
  const { state } = play([{ kind: 'waitStarted', wait }]);
  expect(state.waits).toEqual([wait]);
  expect(play([{ kind: 'waitEnded', wait }], state).state.waits).toEqual([]);
});
