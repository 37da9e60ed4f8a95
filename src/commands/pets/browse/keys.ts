import type { KeyPress } from '../../../terminal/full-screen.js';

/** What a key asks for. */
export type Action =
  | { readonly kind: 'move'; readonly by: 'line' | 'page' | 'all'; readonly back: boolean }
  | { readonly kind: 'status'; readonly back: boolean }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'typing' | 'whole' | 'add' | 'copy' | 'refresh' | 'help' | 'back' | 'end' };

/** Where a key was pressed. */
export interface Place {
  readonly page: 'list' | 'pet' | 'help';
  readonly filter: string;
  /** Letters are text, those too that mean something else where there is no filter. */
  readonly isTyping: boolean;
}

type Hint = readonly [key: string, meaning: string];

/** The keys as they are told, the ones most needed first: where there is little room the others are left out. */
export function hintsFor({ page, filter, isTyping }: Place): readonly Hint[] {
  const takesText = page === 'list' && (isTyping || filter !== '');
  return [['?', 'help'], takesText ? ['Esc', 'no filter'] : ['q', 'quit'], ...others];
}

const others: readonly Hint[] = [
  ['Tab', 'status'],
  ['^N', 'add'],
  ['Enter', 'whole pet'],
  ['^Y', 'copy id'],
  ['^R', 'refresh'],
];

/** All keys in words. */
export const help: readonly Hint[] = [
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

/** What a key means at a place; nothing for one that means nothing there. */
export function actionOf(key: KeyPress, place: Place): Action | undefined {
  const { name = '', ctrl, shift, text } = key;
  if (ctrl) return byCtrl(name, place);
  const plain = named(name, shift, place);
  if (place.page === 'help') return plain?.kind === 'move' ? plain : { kind: 'back' };
  if (plain) return plain;
  if (text === undefined) return undefined;
  if (text === '?') return { kind: 'help' };
  if (!place.isTyping && place.filter === '') {
    if (text === 'q') return { kind: 'end' };
    if (text === '/') return { kind: 'typing' };
  }
  return { kind: 'filter', text: (place.filter + text).slice(0, longestFilter) };
}

/** More is no name that one types. */
const longestFilter = 60;

function byCtrl(name: string, { page }: Place): Action | undefined {
  if (name === 'c') return undefined;
  if (page === 'help') return { kind: 'back' };
  if (name === 'u') return { kind: 'filter', text: '' };
  const kind = ({ n: 'add', y: 'copy', r: 'refresh' } as const)[name];
  return kind && { kind };
}

function named(name: string, shift: boolean, { page, filter, isTyping }: Place) {
  const action: Readonly<Record<string, Action>> = {
    up: { kind: 'move', by: 'line', back: true },
    down: { kind: 'move', by: 'line', back: false },
    pageUp: { kind: 'move', by: 'page', back: true },
    pageDown: { kind: 'move', by: 'page', back: false },
    home: { kind: 'move', by: 'all', back: true },
    end: { kind: 'move', by: 'all', back: false },
    tab: { kind: 'status', back: shift },
    enter: { kind: 'whole' },
    backspace: { kind: 'filter', text: [...filter].slice(0, -1).join('') },
    escape: { kind: page !== 'list' || filter !== '' || isTyping ? 'back' : 'end' },
  };
  return Object.hasOwn(action, name) ? action[name] : undefined;
}
