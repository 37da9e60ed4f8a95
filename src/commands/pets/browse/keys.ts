import type { KeyPress } from '../../../terminal/key-press.js';

/** What a key press does. */
export type KeyAction =
  | { readonly kind: 'move'; readonly by: 'line' | 'page' | 'all'; readonly isBackward: boolean }
  | { readonly kind: 'changeStatus'; readonly isBackward: boolean }
  | { readonly kind: 'search'; readonly text: string; readonly afterCursor: number }
  | { readonly kind: 'moveCursor'; readonly afterCursor: number }
  | { readonly kind: 'startSearch' | 'toggleDetails' | 'refresh' | 'sort' | 'help' | 'back' }
  | { readonly kind: 'add' | 'copyId' };

/** The part of the state that decides what a key does. */
export interface KeyContext {
  readonly view: 'list' | 'details' | 'help';
  readonly search: string;
  /** How much of the filter is after the cursor, in UTF-16 units. */
  readonly afterCursor: number;
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
  const escapeEffect = findEscapeEffect(context);
  const escapeHints: readonly KeyHint[] = escapeEffect ? [['Esc', escapeMeanings[escapeEffect]]] : [];
  return [
    ...(canLoadRest ? [['End', 'load all'] as const, ...escapeHints, help] : [help, ...escapeHints]),
    ...(hasPets ? [['Enter', 'details'] as const] : []),
    ['Tab', 'status'],
    ...(isReadOnly ? [] : [['^N', 'add'] as const]),
    ...(hasPets ? [['^S', 'sort'] as const, copyHint] : []),
    ['^R', 'reload'],
  ];
}

const copyHint: KeyHint = ['^Y', 'copy id'];

/** Returns what Esc does: each press undoes one thing, and the last one quits; undefined while a create is in flight. */
export function findEscapeEffect({ view, search, isTyping, loading, adds }: KeyContext) {
  if (view !== 'list') return 'closeView';
  if (adds.some(({ isSent }) => !isSent)) return 'cancelAdd';
  if (loading.length > 0) return 'stopLoading';
  if (search !== '' || isTyping) return 'clearFilter';
  return adds.length > 0 ? undefined : 'quit';
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
  ['Left, Right, Ctrl-W', 'move the cursor in the filter, or delete a word'],
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
  ['Esc', 'close help or details, cancel a waiting add, stop loading, clear the filter, or quit if no add is running'],
  ['Ctrl-L', 'redraw the screen'],
  ['Ctrl-C', 'quit, even while a pet is being added'],
  ['Ctrl-Z', 'suspend; fg continues'],
];

export function mapKey(key: KeyPress, context: KeyContext): KeyAction | undefined {
  const { name = '', ctrl, shift, text = '' } = key;
  if (ctrl) return mapControlKey(name, context);
  const action = mapNamedKey(name, shift, context);
  if (context.view === 'help') return action?.kind === 'move' ? action : { kind: 'back' };
  if (action || text === '') return action;
  if (!context.isTyping && context.search === '') {
    if (text === '?') return { kind: 'help' };
    if (text === '/') return { kind: 'startSearch' };
  }
  const [before, after] = splitAtCursor(context);
  return toSearch(before + text, after);
}

/** Returns the filter before and after the cursor. */
export function splitAtCursor({ search, afterCursor }: Pick<KeyContext, 'search' | 'afterCursor'>) {
  const index = search.length - afterCursor;
  return [search.slice(0, index), search.slice(index)] as const;
}

function toSearch(before: string, after: string): KeyAction {
  return { kind: 'search', text: before + after, afterCursor: after.length };
}

function mapControlKey(name: string, context: KeyContext): KeyAction | undefined {
  const { view, search } = context;
  if (name === 'c' || name === 'z') return undefined;
  if (name === 'k' || name === 'j') return { kind: 'move', by: 'line', isBackward: name === 'k' };
  if (view === 'help') return { kind: 'back' };
  const [before, after] = splitAtCursor(context);
  if (name === 'u') return toSearch('', '');
  if (name === 'w') return toSearch(before.replace(/\S*\s*$/, ''), after);
  if (name === 'a') return { kind: 'moveCursor', afterCursor: search.length };
  if (name === 'e') return { kind: 'moveCursor', afterCursor: 0 };
  const kind = ({ n: 'add', y: 'copyId', r: 'refresh', s: 'sort' } as const)[name];
  return kind && { kind };
}

function mapNamedKey(name: string, shift: boolean, context: KeyContext) {
  const [before, after] = splitAtCursor(context);
  const left = [...before].at(-1)?.length ?? 0;
  const right = [...after][0]?.length ?? 0;
  const actions: Readonly<Record<string, KeyAction>> = {
    up: { kind: 'move', by: 'line', isBackward: true },
    down: { kind: 'move', by: 'line', isBackward: false },
    pageUp: { kind: 'move', by: 'page', isBackward: true },
    pageDown: { kind: 'move', by: 'page', isBackward: false },
    home: { kind: 'move', by: 'all', isBackward: true },
    end: { kind: 'move', by: 'all', isBackward: false },
    tab: { kind: 'changeStatus', isBackward: shift },
    enter: { kind: 'toggleDetails' },
    left: { kind: 'moveCursor', afterCursor: after.length + left },
    right: { kind: 'moveCursor', afterCursor: after.length - right },
    backspace: toSearch(before.slice(0, before.length - left), after),
    delete: toSearch(before, after.slice(right)),
    escape: { kind: 'back' },
    f1: { kind: 'help' },
  };
  return Object.hasOwn(actions, name) ? actions[name] : undefined;
}
