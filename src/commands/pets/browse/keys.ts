import type { KeyPress } from '../../../terminal/key-press.js';

/** What a key press does. */
export type KeyAction =
  | { readonly kind: 'move'; readonly by: 'line' | 'page' | 'all'; readonly isBackward: boolean }
  | { readonly kind: 'changeStatus'; readonly isBackward: boolean }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'startSearch' | 'toggleDetails' | 'refresh' | 'sort' | 'help' | 'back' }
  | { readonly kind: 'add' | 'copyId' };

/** The part of the state that decides what a key does. */
export interface KeyContext {
  readonly view: 'list' | 'details' | 'help';
  readonly search: string;
  /** Whether every character is text, even if it is a shortcut elsewhere. */
  readonly isTyping: boolean;
  /** Lists with a request in flight. */
  readonly loading: readonly unknown[];
  /** Pets that are being added. */
  readonly adds: readonly { readonly isSent: boolean }[];
  /** Whether pets cannot be added. */
  readonly isReadOnly: boolean;
}

type KeyHint = readonly [key: string, meaning: string];

/** Returns the hints for the footer, most important first: a narrow screen drops the last ones. */
export function getKeyHints(
  context: KeyContext,
  { hasPets, canLoadRest }: { readonly hasPets: boolean; readonly canLoadRest: boolean },
): readonly KeyHint[] {
  const { view, search, isTyping, isReadOnly } = context;
  const help: KeyHint = search === '' && !isTyping ? ['?', 'help'] : ['F1', 'help'];
  if (view === 'details') return [['Esc', 'close details'], help, ['Down', 'next pet'], ['PgDn', 'scroll'], copyHint];
  const escapeHint: KeyHint = ['Esc', escapeMeanings[findEscapeEffect(context)]];
  return [
    ...(canLoadRest ? [['End', 'load all'] as const, escapeHint, help] : [help, escapeHint]),
    ...(hasPets ? [['Enter', 'details'] as const] : []),
    ['Tab', 'status'],
    ...(isReadOnly ? [] : [['^N', 'add'] as const]),
    ...(hasPets ? [['^S', 'sort'] as const, copyHint] : []),
    ['^R', 'reload'],
  ];
}

const copyHint: KeyHint = ['^Y', 'copy id'];

/** Returns what Esc does: each press undoes one thing, and the last one quits. */
export function findEscapeEffect({ view, search, isTyping, loading, adds }: KeyContext) {
  if (view !== 'list') return 'closeView';
  if (adds.some(({ isSent }) => !isSent)) return 'cancelAdd';
  if (loading.length > 0) return 'stopLoading';
  return search !== '' || isTyping ? 'clearFilter' : 'quit';
}

const escapeMeanings = {
  closeView: 'close',
  cancelAdd: 'cancel add',
  stopLoading: 'stop loading',
  clearFilter: 'clear filter',
  quit: 'quit',
} as const;

/** All keys, for the help view. */
export const keyHelp: readonly KeyHint[] = [
  ['letters', 'filter every pet by name or id'],
  ['/', 'start a filter, even one that begins with ?'],
  ['Backspace, Ctrl-U', 'delete one character, or clear the filter'],
  ['Up, Down', 'move by one pet; past the last one, load the next page'],
  ['PgUp, PgDn', 'move by one screen'],
  ['Home, End', 'go to the first pet, or load every pet and go to the last'],
  ['Tab, Shift-Tab', 'show the next or the previous status'],
  ['Enter', 'open or close the details of the pet'],
  ['Ctrl-S', 'sort by id, name or status'],
  ['Ctrl-N', 'add a pet'],
  ['Ctrl-Y', 'copy the id of the pet'],
  ['Ctrl-R', 'reload the pets'],
  ['?, F1', 'show this help'],
  ['Esc', 'close help or details, cancel an add that waits, stop loading, clear the filter, or quit'],
  ['Ctrl-L', 'redraw the screen'],
  ['Ctrl-C', 'quit'],
  ['Ctrl-Z', 'suspend; fg continues'],
];

export function mapKey(key: KeyPress, context: KeyContext): KeyAction | undefined {
  const { name = '', ctrl, shift, text = '', isPasted } = key;
  if (isPasted) return { kind: 'search', text: context.search + text };
  if (ctrl) return mapControlKey(name, context);
  const action = mapNamedKey(name, shift, context);
  if (context.view === 'help') return action?.kind === 'move' ? action : { kind: 'back' };
  if (action || text === '') return action;
  if (!context.isTyping && context.search === '') {
    if (text === '?') return { kind: 'help' };
    if (text === '/') return { kind: 'startSearch' };
  }
  return { kind: 'search', text: context.search + text };
}

function mapControlKey(name: string, { view }: KeyContext): KeyAction | undefined {
  if (name === 'c' || name === 'z') return undefined;
  if (view === 'help') return { kind: 'back' };
  if (name === 'u') return { kind: 'search', text: '' };
  const kind = ({ n: 'add', y: 'copyId', r: 'refresh', s: 'sort' } as const)[name];
  return kind && { kind };
}

function mapNamedKey(name: string, shift: boolean, { search }: KeyContext) {
  const actions: Readonly<Record<string, KeyAction>> = {
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
  };
  return Object.hasOwn(actions, name) ? actions[name] : undefined;
}
