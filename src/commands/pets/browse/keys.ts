import type { KeyPress } from '../../../terminal/full-screen.js';

/** What a key press does. */
export type KeyAction =
  | { readonly kind: 'move'; readonly by: 'line' | 'page' | 'all'; readonly isBackward: boolean }
  | { readonly kind: 'changeStatus'; readonly isBackward: boolean }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'startSearch' | 'toggleDetails' | 'refresh' | 'help' | 'back' }
  | { readonly kind: 'add' | 'copyId' | 'quit' };

/** The part of the state that decides what a key does. */
export interface KeyContext {
  readonly view: 'list' | 'details' | 'help';
  readonly search: string;
  /** Whether every character is text, even if it is a shortcut elsewhere. */
  readonly isTyping: boolean;
}

type KeyHint = readonly [key: string, meaning: string];

/** Returns the hints for the footer, most important first: a narrow screen drops the last ones. */
export function getKeyHints({ view, search, isTyping }: KeyContext): readonly KeyHint[] {
  const isSearching = view === 'list' && (isTyping || search !== '');
  return [
    ['?', 'help'],
    isSearching ? ['Esc', 'clear filter'] : ['q', 'quit'],
    ['Tab', 'status'],
    ['^N', 'add'],
    ['Enter', 'details'],
    ['^Y', 'copy id'],
    ['^R', 'reload'],
  ];
}

/** All keys, for the help view. */
export const keyHelp: readonly KeyHint[] = [
  ['letters', 'filter the loaded pets by name or id'],
  ['/', 'start a filter, even one that begins with q'],
  ['Backspace, Ctrl-U', 'delete one character, or clear the filter'],
  ['Up, Down', 'move by one pet; past the last one, load the next page'],
  ['PgUp, PgDn', 'move by one screen'],
  ['Home, End', 'go to the first or the last loaded pet'],
  ['Tab, Shift-Tab', 'show the next or the previous status'],
  ['Enter', 'open or close the details of the pet'],
  ['Ctrl-N', 'add a pet'],
  ['Ctrl-Y', 'copy the id of the pet'],
  ['Ctrl-R', 'reload the pets'],
  ['Esc', 'close help, clear filter, or quit'],
  ['q, Ctrl-C', 'quit'],
];

export function mapKey(key: KeyPress, context: KeyContext): KeyAction | undefined {
  const { name = '', ctrl, shift, text } = key;
  if (ctrl) return mapControlKey(name, context);
  const action = mapNamedKey(name, shift, context);
  if (context.view === 'help') return action?.kind === 'move' ? action : { kind: 'back' };
  if (action || text === undefined) return action;
  if (text === '?') return { kind: 'help' };
  if (!context.isTyping && context.search === '') {
    if (text === 'q') return { kind: 'quit' };
    if (text === '/') return { kind: 'startSearch' };
  }
  return { kind: 'search', text: (context.search + text).slice(0, maxSearchLength) };
}

const maxSearchLength = 60;

function mapControlKey(name: string, { view }: KeyContext): KeyAction | undefined {
  if (name === 'c') return undefined;
  if (view === 'help') return { kind: 'back' };
  if (name === 'u') return { kind: 'search', text: '' };
  const kind = ({ n: 'add', y: 'copyId', r: 'refresh' } as const)[name];
  return kind && { kind };
}

function mapNamedKey(name: string, shift: boolean, { view, search, isTyping }: KeyContext) {
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
    escape: { kind: view !== 'list' || search !== '' || isTyping ? 'back' : 'quit' },
  };
  return Object.hasOwn(actions, name) ? actions[name] : undefined;
}
