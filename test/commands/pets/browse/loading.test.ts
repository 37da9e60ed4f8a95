import { describe, expect, test } from 'vitest';
import type { ScreenOptions } from '../../../../src/commands/pets/browse/render-pets.js';
import type { BrowseEvent, BrowseState, Effect, Severity } from '../../../../src/commands/pets/browse/state.js';
import { renderScreen } from '../../../../src/commands/pets/browse/view.js';
import { toSafeText } from '../../../../src/format/safe-text.js';
import type { KeyPress } from '../../../../src/terminal/key-press.js';
import { load, page, petsFrom, play, press, typed } from '../../../support/browse-model.js';
import { ctrlKey, letterKey, namedKey } from '../../../support/key-press.js';
import { plainStyle } from '../../../support/plain-style.js';

const halfUsed = 'half of the remaining quota is used; retry in 40s';
const stoppedAt = 'Stopped at 20 pets. Press End to load the rest.';

/** What happens while a filter loads the second page. */
const situations = {
  loading: [],
  'stopped by Esc': [press(namedKey('escape'))],
  'stopped by the quota': [fail(halfUsed, 'warning')],
  'stopped by an error': [fail('no answer')],
  complete: [page('all', petsFrom(21, 20), false, false)],
} as const;
type Situation = keyof typeof situations;

test.each<readonly [Situation, string, readonly string[]]>([
  ['loading', 'z', ['No match in the 20 loaded pets yet.', 'No match in 20 loaded, loading more', 'Loading… 20 pets']],
  ['loading', 'p', ['❯ 1 Pet 1', '1 of 20 matches in 20 loaded, loading more', 'Loading… 20 pets so far. Esc stops']],
  ['stopped by Esc', 'z', [pressEnd(20), 'No match in 20 loaded, more to load', stoppedAt]],
  ['stopped by Esc', 'p', ['❯ 1 Pet 1', '1 of 20 matches in 20 loaded, more to load', stoppedAt]],
  ['stopped by the quota', 'z', [pressEnd(20), 'No match in 20 loaded, more to load', `! ${halfUsed}`]],
  ['stopped by the quota', 'p', ['❯ 1 Pet 1', '1 of 20 matches in 20 loaded, more to load', `! ${halfUsed}`]],
  ['stopped by an error', 'z', [pressEnd(20), 'No match in 20 loaded, more to load', '✗ no answer']],
  ['stopped by an error', 'p', ['❯ 1 Pet 1', '1 of 20 matches in 20 loaded, more to load', '✗ no answer']],
  ['complete', 'z', ['No pet matches "z". Press Esc to clear', 'No match in 40 pets', 'F1 help · Esc clear filter']],
  ['complete', 'p', ['❯ 1 Pet 1', '1 of 40 matches in 40 pets', 'F1 help · Esc clear filter']],
])('%s: the screen is truthful for the filter %s', (situation, filter, shown) => {
  expectShown(reach(situation, filter), shown);
});

describe.each(['stopped by Esc', 'stopped by the quota', 'stopped by an error'] as const)('%s:', (situation) => {
  const next = load('all', false, true);
  test.each<readonly [string, KeyPress, readonly Effect[], string]>([
    ['a letter loads the rest', letterKey('y'), [next], 'No match in the 20 loaded pets yet.'],
    ['Backspace loads the rest', namedKey('backspace'), [next], 'No match in the 20 loaded pets yet.'],
    ['End loads the rest', namedKey('end'), [{ kind: 'grantHalfQuota' }, next], 'No match in the 20 loaded pets yet.'],
    ['Ctrl-R loads the first page', ctrlKey('r'), [load('all', true)], 'No match in the 20 loaded pets yet.'],
    ['Tab loads the other status', namedKey('tab'), [load('available', true)], 'Loading…'],
  ])('%s', (_, key, effects, shown) => {
    const after = play([press(key)], reach(situation, 'zz'));
    expect(after.effects).toEqual(effects);
    expectShown(after.state, [shown, '', 'Loading…']);
  });

  test('a move leaves the hint on the screen', () => {
    expectShown(play([press(namedKey('up'))], reach(situation, 'z')).state, [
      pressEnd(20),
      'No match in 20 loaded, more to load',
      'End load all · Esc clear filter · F1 help',
    ]);
  });

  test('the hint returns if the next load fails, too', () => {
    const { state } = play([...typed('y'), fail(halfUsed, 'warning')], reach(situation, 'z'));
    expectShown(state, [pressEnd(20), 'No match in 20 loaded, more to load', `! ${halfUsed}`]);
  });

  test('the next status is searched to its end', () => {
    const { state, effects } = play(
      [press(namedKey('tab')), page('available', petsFrom(1, 20), true), page('available', [], false, false)],
      reach(situation, 'z'),
    );
    expect(effects).toEqual([load('available', true), load('available', false, true)]);
    expectShown(state, ['No available pet matches "z". Press Esc to clear the filter.', 'No match in 20 pets', 'F1']);
  });

  test('Esc clears the filter, and loads nothing', () => {
    const { state, effects } = play([press(namedKey('escape'))], reach(situation, 'z'));
    expect(effects).toEqual([]);
    expectShown(state, ['❯ 1 Pet 1', '1 of 20 loaded, more to load', '? help · Esc quit']);
  });
});

test.each<readonly [Situation, string, KeyPress, readonly Effect[]]>([
  ['loading', 'a letter', letterKey('y'), []],
  ['loading', 'Backspace', namedKey('backspace'), []],
  ['loading', 'End', namedKey('end'), []],
  ['loading', 'Ctrl-R', ctrlKey('r'), [{ kind: 'stopLoading' }, load('all', true)]],
  ['loading', 'Tab', namedKey('tab'), [load('available', true)]],
  ['complete', 'a letter', letterKey('y'), []],
  ['complete', 'Backspace', namedKey('backspace'), []],
  ['complete', 'End', namedKey('end'), []],
  ['complete', 'Ctrl-R', ctrlKey('r'), [load('all', true)]],
  ['complete', 'Tab', namedKey('tab'), []],
])('%s: %s requests no page twice', (situation, _, key, effects) => {
  expect(play([press(key)], reach(situation, 'zz')).effects).toEqual(effects);
});

describe('while a page waits in the background,', () => {
  const next = load('all', false);
  const stop = { kind: 'stopLoading' } as const;
  const grant = { kind: 'grantHalfQuota' } as const;

  test.each<readonly [string, KeyPress, boolean, readonly Effect[]]>([
    ['End uses half of the remaining quota', namedKey('end'), true, [stop, grant, load('all', false, true)]],
    ['End loads nothing if one request is left', namedKey('end'), false, []],
    ['Down on the last pet loads the next page', namedKey('down'), true, [stop, next]],
    ['Down on the last pet loads the next page, even the last one', namedKey('down'), false, [stop, next]],
    ['Up loads nothing', namedKey('up'), true, []],
  ])('%s', (_, key, canLoadMore, effects) => {
    const waiting = startWait(canLoadMore);
    const { state, effects: caused } = play([press(key)], waiting);
    expect(caused).toEqual(effects);
    expect(state.loading).toEqual(['all']);
    expect(state.waits).toEqual(effects.length > 0 ? [] : waiting.waits);
    // The rest still loads in the background.
    const later = play([page('all', petsFrom(21, 20), true, false)], state);
    expect(later.effects).toEqual([load('all', false, true)]);
  });

  test('End, pressed twice, uses half of the remaining quota once', () => {
    const { effects } = play([press(namedKey('end')), press(namedKey('end'))], startWait(true));
    expect(effects).toEqual([stop, grant, load('all', false, true)]);
  });

  test('Tab ends it, and the other list shows no wait', () => {
    const { state, effects } = play([press(namedKey('tab'))], startWait(true));
    expect(effects).toEqual([stop, load('available', true)]);
    expect(state).toMatchObject({ waits: [], loading: ['available'] });
    const later = play([page('available', petsFrom(1, 20), true)], state);
    expectShown(later.state, ['❯ 1 Pet 1', '1 of 20 loaded, more to load', '? help · Esc quit']);
    expect(later.effects).toEqual([]);
    // The first list keeps its pets, and loads the rest only on request.
    const back = play([press({ ...namedKey('tab'), shift: true })], later.state);
    expect(back.effects).toEqual([]);
    expectShown(back.state, ['❯ 1 Pet 1', '1 of 20 loaded, more to load', '? help · Esc quit']);
    expect(play([press(namedKey('end'))], back.state).effects).toEqual([grant, load('all', false, true)]);
  });

  /** Returns the state after End has loaded pages until one waits. */
  function startWait(canLoadMore: boolean): BrowseState {
    const background = { status: 'all', canLoadMore } as const;
    const wait = { until: 60_000, reason: 'to leave half of the quota', background };
    const events = [page('all', petsFrom(1, 20), true), press(namedKey('end'))];
    return play([...events, { kind: 'waitStarted', wait }]).state;
  }
});

test('a filter after Esc has stopped the first page loads every page', () => {
  const stopped = play([press(namedKey('escape'))]).state;
  expectShown(stopped, [
    'No pets are loaded. Press Ctrl-R to load them.',
    '',
    'Stopped. Press Ctrl-R to load the pets.',
  ]);
  const { state, effects } = play([...typed('z'), page('all', petsFrom(1, 1), true)], stopped);
  expect(effects).toEqual([load('all', true, true), load('all', false, true)]);
  expectShown(state, ['No match in the 1 loaded pet yet.', 'No match in 1 loaded, loading more', 'Loading…']);
});

test('a list that may be incomplete offers no further page', () => {
  const stopped = [press(ctrlKey('r')), press(namedKey('escape'))];
  const { state } = play([page('all', petsFrom(1, 100), false), ...typed('z'), ...stopped]);
  expectShown(state, [
    'No match in the 100 loaded pets. The service may have more.',
    'No match in 100 loaded, there may be more',
    'Stopped. Press Ctrl-R to reload the pets.',
  ]);
});

test('a reload of an empty list does not look like a filter', () => {
  const { state } = play([page('all', [], false), press(ctrlKey('r'))]);
  expectShown(state, ['Loading…', '0 pets', 'Loading…']);
});

test('a failure of one status does not stop the load of another', () => {
  const { effects } = play([
    page('all', petsFrom(1, 20), true),
    ...typed('z'),
    press(namedKey('tab')),
    fail('no answer'),
    page('available', petsFrom(1, 20), true),
  ]);
  expect(effects.at(-1)).toEqual(load('available', false, true));
});

/** Returns the state after a filter has started to load pages. */
function reach(situation: Situation, filter: string): BrowseState {
  return play([page('all', petsFrom(1, 20), true), ...typed(filter), ...situations[situation]]).state;
}

function fail(text: string, severity: Severity = 'error'): BrowseEvent {
  return { kind: 'loadFailed', status: 'all', text, severity };
}

function pressEnd(count: number): string {
  return `No match in the ${count} loaded pets. Press End to load the rest.`;
}

/** Expects the text of an empty list (or the selected pet), the position, and the message or the keys to begin so. */
function expectShown(state: BrowseState, starts: readonly string[]): void {
  const lines = renderScreen(state, { columns: 79, rows: 12 }, options);
  const shown = [lines[3], ...lines.slice(-3, -1)].map((line = '') => line.trim().replaceAll(/ +/g, ' '));
  expect(shown.map((line, index) => line.slice(0, starts[index]?.length))).toEqual(starts);
}

const options: ScreenOptions = {
  style: plainStyle,
  sanitize: toSafeText,
  moveToColumn: () => '',
  label: 'sandbox',
  now: 0,
};
