import { describe, expect, test } from 'vitest';
import { findEscapeEffect, getKeyHints, type KeyContext, mapKey } from '../../../../src/commands/pets/browse/keys.js';
import type { KeyPress } from '../../../../src/terminal/key-press.js';
import { ctrlKey, letterKey, namedKey } from '../../../support/key-press.js';

const list: KeyContext = {
  view: 'list',
  search: '',
  afterCursor: 0,
  isTyping: false,
  loading: [],
  adds: [],
  isReadOnly: false,
};
const inFilter = { ...list, search: 'a🦊b c', afterCursor: 3 };
const down = { kind: 'move', by: 'line', isBackward: false } as const;

describe('mapKey', () => {
  test.each<[string, KeyPress, KeyContext, ReturnType<typeof mapKey>]>([
    ['a letter starts a search', letterKey('a'), list, search('a')],
    ['another letter extends it', letterKey('b'), { ...list, search: 'a' }, search('ab')],
    ['q starts a search', letterKey('q'), list, search('q')],
    ['F1 opens the help during a search', namedKey('f1'), { ...list, search: 'a' }, { kind: 'help' }],
    ['? in a search is a character', letterKey('?'), { ...list, search: 'a' }, search('a?')],
    ['? after / is a character', letterKey('?'), { ...list, isTyping: true }, search('?')],
    ['/ in a search is a character', letterKey('/'), { ...list, search: 'a' }, search('a/')],
    ['Ctrl-S sorts', ctrlKey('s'), list, { kind: 'sort' }],
    ['Ctrl-Z is left to the terminal', ctrlKey('z'), { ...list, view: 'help' }, undefined],
    ['q in a search is a letter', letterKey('q'), { ...list, search: 'a' }, search('aq')],
    ['q after / is a letter', letterKey('q'), { ...list, isTyping: true }, search('q')],
    ['/ starts a search', letterKey('/'), list, { kind: 'startSearch' }],
    ['? opens the help', letterKey('?'), list, { kind: 'help' }],
    ['arrows scroll the help', namedKey('down'), { ...list, view: 'help' }, down],
    ['any other key leaves the help', letterKey('a'), { ...list, view: 'help' }, { kind: 'back' }],
    ['Backspace deletes once', namedKey('backspace'), { ...list, search: 'a🦊' }, search('a')],
    ['Ctrl-U clears the search', ctrlKey('u'), { ...list, search: 'abc' }, search('')],
    ['a letter is inserted at the cursor', letterKey('x'), inFilter, search('a🦊xb c', 3)],
    ['Backspace deletes before the cursor', namedKey('backspace'), inFilter, search('ab c', 3)],
    ['Delete deletes after the cursor', namedKey('delete'), inFilter, search('a🦊 c', 2)],
    ['Ctrl-W deletes the word before the cursor', ctrlKey('w'), { ...list, search: 'ada rex ' }, search('ada ')],
    ['Left moves the cursor', namedKey('left'), inFilter, { kind: 'moveCursor', afterCursor: 5 }],
    ['Right moves the cursor', namedKey('right'), inFilter, { kind: 'moveCursor', afterCursor: 2 }],
    ['Right stops at the end', namedKey('right'), list, { kind: 'moveCursor', afterCursor: 0 }],
    ['Ctrl-A moves the cursor to the start', ctrlKey('a'), inFilter, { kind: 'moveCursor', afterCursor: 6 }],
    ['Ctrl-E moves the cursor to the end', ctrlKey('e'), inFilter, { kind: 'moveCursor', afterCursor: 0 }],
    ['Ctrl-J moves down', ctrlKey('j'), list, down],
    ['Ctrl-K moves up', ctrlKey('k'), list, { ...down, isBackward: true }],
    ['Esc goes back', namedKey('escape'), list, { kind: 'back' }],
    ['Tab changes the status', namedKey('tab'), list, { kind: 'changeStatus', isBackward: false }],
    ['Ctrl-N adds a pet', ctrlKey('n'), list, { kind: 'add' }],
    ['Ctrl-Y copies the id', ctrlKey('y'), list, { kind: 'copyId' }],
    ['Ctrl-R refreshes', ctrlKey('r'), list, { kind: 'refresh' }],
    ['Ctrl-C is left to the terminal', ctrlKey('c'), list, undefined],
    ['F5 does nothing', namedKey('f5'), list, undefined],
    ['a property name of objects does nothing', namedKey('constructor'), list, undefined],
  ])('%s', (_, key, context, action) => {
    expect(mapKey(key, context)).toEqual(action);
  });

  test.each<[Partial<KeyContext>, ReturnType<typeof findEscapeEffect>]>([
    [{ view: 'help', loading: ['all'], search: 'a' }, 'closeView'],
    [{ view: 'details', adds: [{ isSent: false }] }, 'closeView'],
    [{ adds: [{ isSent: true }, { isSent: false }], loading: ['all'] }, 'cancelAdd'],
    [{ adds: [{ isSent: true }], loading: ['all'], search: 'a' }, 'stopLoading'],
    [{ adds: [{ isSent: true }], search: 'a' }, 'clearFilter'],
    [{ adds: [{ isSent: true }] }, undefined],
    [{ loading: ['all'], search: 'a' }, 'stopLoading'],
    [{ search: 'a' }, 'clearFilter'],
    [{ isTyping: true }, 'clearFilter'],
    [{}, 'quit'],
  ])('Esc with %j: %s', (change, effect) => {
    const context = { ...list, ...change };
    expect(findEscapeEffect(context)).toBe(effect);
    const keys = getKeyHints(context, { hasPets: true, canLoadRest: false }).map(([key]) => key);
    expect(keys.includes('Esc')).toBe(effect !== undefined);
  });
});

function search(text: string, afterCursor = 0) {
  return { kind: 'search', text, afterCursor } as const;
}
