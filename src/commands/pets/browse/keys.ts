import type { KeyPress } from '../../../terminal/key-press.js';
import type { BrowseState } from './state.js';

/** What a key press does. */
export type KeyAction =
  | { readonly kind: 'move'; readonly by: 'line' | 'page' | 'all'; readonly isBackward: boolean }
  | { readonly kind: 'changeStatus'; readonly isBackward: boolean }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'startSearch' | 'toggleDetails' | 'reload' | 'sort' | 'help' | 'back' | 'add' | 'copyId' };

type KeyHint = readonly [key: string, meaning: string];

/** Returns the hints for the footer, most important first: a narrow screen drops the last ones. */
export function getKeyHints(state: BrowseState, hasPets: boolean): readonly KeyHint[] {
  const { view, search, isTyping, isReadOnly, loaded } = state;
  const help: KeyHint = search === '' && !isTyping ? ['?', 'help'] : ['F1', 'help'];
  if (view === 'help')
    return [
      ['Arrows', 'scroll'],
      ['other keys', 'close help'],
    ];
  if (view === 'details') return [['Esc', 'close details'], help, ['Down', 'next pet'], ['PgDn', 'scroll'], copyHint];
  return [
    help,
    ['Esc', escapeMeanings[findEscapeEffect(state)]],
    ...(loaded === 'partial' ? [['End', 'load all'] as const] : []),
    ...(hasPets ? [['Enter', 'details'] as const] : []),
    ['Tab', 'status'],
    ...(isReadOnly ? [] : [['^N', 'add'] as const]),
    ...(hasPets ? [['^S', 'sort'] as const, copyHint] : []),
    ['^R', 'reload'],
  ];
}

const copyHint: KeyHint = ['^Y', 'copy id'];

/** Returns what Esc does: each press undoes one thing, and the last one quits. */
export function findEscapeEffect({ view, search, isTyping, loading }: BrowseState) {
  if (view !== 'list') return 'closeView';
  if (loading) return 'stopLoading';
  return search !== '' || isTyping ? 'clearFilter' : 'quit';
}

const escapeMeanings = {
  closeView: 'close',
  stopLoading: 'stop loading',
  clearFilter: 'clear filter',
  quit: 'quit',
} as const;

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

export function mapKey({ name = '', ctrl, shift, text = '' }: KeyPress, state: BrowseState): KeyAction | undefined {
  const { view, search, isTyping } = state;
  const action = ctrl ? controlKeys(search)[name] : namedKeys(search, shift)[name];
  if (view === 'help') return action?.kind === 'move' ? action : { kind: 'back' };
  if (action || ctrl || text === '') return action;
  if (!isTyping && search === '' && text === '?') return { kind: 'help' };
  if (!isTyping && search === '' && text === '/') return { kind: 'startSearch' };
  return { kind: 'search', text: search + text };
}

type KeyTable = Readonly<Record<string, KeyAction | undefined>>;

function controlKeys(search: string): KeyTable {
  return {
    __proto__: null,
    u: { kind: 'search', text: '' },
    w: { kind: 'search', text: search.replace(/\S*\s*$/, '') },
    n: { kind: 'add' },
    y: { kind: 'copyId' },
    r: { kind: 'reload' },
    s: { kind: 'sort' },
  } as unknown as KeyTable;
}

function namedKeys(search: string, shift: boolean): KeyTable {
  return {
    __proto__: null,
    up: { kind: 'move', by: 'line', isBackward: true },
    down: { kind: 'move', by: 'line', isBackward: false },
    pageUp: { kind: 'move', by: 'page', isBackward: true },
    pageDown: { kind: 'move', by: 'page', isBackward: false },
    home: { kind: 'move', by: 'all', isBackward: true },
    end: { kind: 'move', by: 'all', isBackward: false },
    tab: { kind: 'changeStatus', isBackward: shift },
    enter: { kind: 'toggleDetails' },
    backspace: { kind: 'search', text: [...search].slice(0, -1).join('') },
    escape: { kind: 'back' },
    f1: { kind: 'help' },
  } as unknown as KeyTable;
}
