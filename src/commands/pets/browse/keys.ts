import { formatCount } from '../../../format/duration.js';
import type { KeyPress } from '../../../terminal/full-screen.js';
import { type BrowseState, clamp, getSelectedIndex, reload, select, startList, statusFilters } from './model.js';
import { getVisiblePets, sortOrders } from './visible-pets.js';

type KeyHint = readonly [key: string, meaning: string];

/** All keys, for the help view. */
export const keyHelp: readonly KeyHint[] = [
  ['letters', 'filter the loaded pets by name or id'],
  ['/', 'start a filter, even one that begins with ?'],
  ['Backspace', 'delete one character of the filter'],
  ['Ctrl-W, Ctrl-U', 'delete a word, or the whole filter'],
  ['Up, Down', 'move by one pet; past the last one, load the next page'],
  ['PgUp, PgDn', 'move by one screen'],
  ['Home, End', 'go to the first pet, or load all pets and go to the last'],
  ['Tab, Shift-Tab', 'show the next or the previous status'],
  ['Enter', 'open or close the details of the pet'],
  ['Ctrl-S', 'sort by id, name or status'],
  ['Ctrl-N', 'add a pet'],
  ['Ctrl-Y', 'copy the id of the pet, if the terminal allows'],
  ['Ctrl-R', 'reload the pets'],
  ['?, F1', 'show this help'],
  ['Esc', 'close help or details, stop loading, clear the filter, or quit'],
  ['Ctrl-C', 'quit'],
  ['Ctrl-Z', 'suspend; fg continues'],
];

/** Returns the hints for the footer, most important first: a narrow screen drops the last ones. */
export function getKeyHints(state: BrowseState): readonly KeyHint[] {
  const { view, search, isReadOnly, hasMore } = state;
  const esc: KeyHint = ['Esc', getEscape(state)[0]];
  const help: KeyHint = search === undefined ? ['?', 'help'] : ['F1', 'help'];
  const copy: KeyHint = ['^Y', 'copy id'];
  if (view === 'help') return [['Arrows', 'scroll'], esc];
  if (view === 'details') return [esc, help, ['Down', 'next pet'], ['PgDn', 'scroll'], copy];
  const hasPets = getVisiblePets(state).length > 0;
  return [
    help,
    esc,
    ...(hasMore === 'yes' ? [['End', 'load all'] as const] : []),
    ...(hasPets ? [['Enter', 'details'] as const] : []),
    ['Tab', 'status'],
    ...(isReadOnly ? [] : [['^N', 'add'] as const]),
    ...(hasPets ? [['^S', 'sort'] as const, copy] : []),
    ['^R', 'reload'],
  ];
}

/** What fits on the screen. */
export interface Viewport {
  readonly petRows: number;
  readonly maxScrollOffset: number;
}

/** Returns the state after a key. */
export function pressKey(before: BrowseState, { name, text }: KeyPress, viewport: Viewport): BrowseState {
  const state: BrowseState = { ...before, message: undefined, target: undefined, request: undefined };
  const { search = '' } = state;
  const distance = distances.get(name)?.(viewport.petRows);
  if (distance !== undefined) {
    const isScroll = state.view === 'help' || (state.view === 'details' && name !== 'up' && name !== 'down');
    if (!isScroll) return move(state, distance);
    return { ...state, scrollOffset: clamp(state.scrollOffset + distance, viewport.maxScrollOffset) };
  }
  if (state.view === 'help') return closeView(state);
  if (text !== undefined) {
    if (state.search === undefined && text === '?') return openView(state, 'help');
    return state.search === undefined && text === '/' ? filter(state, '') : filter(state, search + text);
  }
  switch (name) {
    case 'escape':
      return getEscape(state)[1];
    case 'return':
      if (state.view === 'details') return closeView(state);
      return getVisiblePets(state).length > 0 ? openView(state, 'details') : state;
    case 'f1':
      return openView(state, 'help');
    case 'backspace':
      return filter(state, [...search].slice(0, -1).join('') || undefined);
    case 'ctrl+w':
      return filter(state, search.replace(/\S*\s*$/, '') || undefined);
    case 'ctrl+u':
      return filter(state, undefined);
    case 'tab':
      return startList(state, cycle(statusFilters, state.status, 1));
    case 'shift+tab':
      return startList(state, cycle(statusFilters, state.status, -1));
    case 'ctrl+s':
      return { ...state, sort: cycle(sortOrders, state.sort, 1) };
    case 'ctrl+r':
      return reload(state);
    case 'ctrl+y':
      return getVisiblePets(state).length > 0 ? { ...state, request: 'copyId' } : state;
    case 'ctrl+n':
      if (!state.isReadOnly) return { ...state, request: 'add' };
      return { ...state, message: { text: 'Cannot add a pet: read-only mode is on', severity: 'error' } };
    default:
      return state;
  }
}

/** By how many pets or lines a key moves on a screen with some rows. */
const distances = new Map<string, (rows: number) => number>([
  ['up', () => -1],
  ['down', () => 1],
  ['pageup', (rows) => -rows],
  ['pagedown', (rows) => rows],
  ['home', () => Number.NEGATIVE_INFINITY],
  ['end', () => Number.POSITIVE_INFINITY],
]);

/** Moves the selection. Moving past the last loaded pet loads the next page, and End every page. */
function move(state: BrowseState, distance: number): BrowseState {
  const target = getSelectedIndex(state) + distance;
  const moved = { ...select(state, target), scrollOffset: 0 };
  const isAll = distance === Number.POSITIVE_INFINITY;
  if (state.hasMore !== 'yes' || target < Math.max(1, getVisiblePets(state).length)) return moved;
  return { ...moved, target, loading: isAll ? 'all' : (state.loading ?? 'page') };
}

/** Returns what Esc does, for its hint, and the state after it: each press undoes one thing, and the last one quits. */
function getEscape(state: BrowseState): readonly [meaning: string, next: BrowseState] {
  if (state.view !== 'list') return [`close ${state.view}`, closeView(state)];
  if (state.loading) {
    const rest = state.hasMore === undefined ? 'Press Ctrl-R to load the pets.' : 'Press End to load the rest.';
    const text = `Stopped at ${formatCount(state.pets.length, 'pet')}. ${rest}`;
    return ['stop loading', { ...state, loading: undefined, message: { text } }];
  }
  if (state.search !== undefined) return ['clear filter', filter(state, undefined)];
  return ['quit', { ...state, request: 'quit' }];
}

/** In UTF-16 units. */
const maxSearchLength = 200;

/** Selects the first match. Without a filter, the pet that it has found stays selected. */
function filter(state: BrowseState, search: string | undefined): BrowseState {
  const { selectedId } = search === undefined ? select(state, getSelectedIndex(state)) : {};
  return { ...closeView(state), search: search?.slice(0, maxSearchLength), selectedId };
}

/** Returns the value that follows in a list, or precedes for a step of -1. */
function cycle<Value>(values: readonly Value[], value: Value, step: 1 | -1): Value {
  return values.at((values.indexOf(value) + step) % values.length) as Value;
}

function openView(state: BrowseState, view: 'details' | 'help'): BrowseState {
  return { ...state, view, scrollOffset: 0 };
}

function closeView(state: BrowseState): BrowseState {
  return { ...state, view: 'list', scrollOffset: 0 };
}
