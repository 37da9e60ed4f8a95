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
    isSearching ? ['Esc', 'no filter'] : ['q', 'quit'],
    ['Tab', 'status'],
    ['^N', 'add'],
    ['Enter', 'whole pet'],
    ['^Y', 'copy id'],
    ['^R', 'refresh'],
  ];
}

/** All keys, for the help view. */
export const keyHelp: readonly KeyHint[] = [
  ['letters', 'filter by name or id, among the pets that were read'],
  ['/', 'begin a filter with any character, such as q'],
  ['Backspace, Ctrl-U', 'take back one character, or all'],
  ['Up, Down', 'move; past the end the next page is read'],
  ['PgUp, PgDn', 'the same by a screen'],
  ['Home, End', 'the first pet, the last one that was read'],
  ['Tab, Shift-Tab', 'next status, and back'],
  ['Enter', 'the whole pet, and back to the list'],
  ['Ctrl-N', 'add a pet: name, category and status are asked for'],
  ['Ctrl-Y', 'copy the id, where the terminal has a clipboard'],
  ['Ctrl-R', 'refresh: read again what is shown'],
  ['Esc', 'back: this page, the filter, the end'],
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
