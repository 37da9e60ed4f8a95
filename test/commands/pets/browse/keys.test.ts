import { describe, expect, test } from 'vitest';
import { findEscapeEffect, mapKey } from '../../../../src/commands/pets/browse/keys.js';
import { initialize } from '../../../../src/commands/pets/browse/model.js';
import type { BrowseState } from '../../../../src/commands/pets/browse/state.js';
import type { KeyPress } from '../../../../src/terminal/key-press.js';
import { ctrlKey, letterKey, namedKey } from '../../../support/browse-events.js';

const list: BrowseState = { ...initialize({})[0], loading: undefined };
const down = { kind: 'move', by: 'line', isBackward: false } as const;

describe('mapKey', () => {
  test.each<[string, KeyPress, BrowseState, ReturnType<typeof mapKey>]>([
    ['a letter starts a search', letterKey('a'), list, search('a')],
    ['another letter extends it', letterKey('b'), { ...list, search: 'a' }, search('ab')],
    ['q starts a search', letterKey('q'), list, search('q')],
    ['F1 opens the help during a search', namedKey('f1'), { ...list, search: 'a' }, { kind: 'help' }],
    ['? in a search is a character', letterKey('?'), { ...list, search: 'a' }, search('a?')],
    ['? after / is a character', letterKey('?'), { ...list, isTyping: true }, search('?')],
    ['/ in a search is a character', letterKey('/'), { ...list, search: 'a' }, search('a/')],
    ['Ctrl-S sorts', ctrlKey('s'), list, { kind: 'sort' }],
    ['/ starts a search', letterKey('/'), list, { kind: 'startSearch' }],
    ['? opens the help', letterKey('?'), list, { kind: 'help' }],
    ['arrows scroll the help', namedKey('down'), { ...list, view: 'help' }, down],
    ['any other key leaves the help', letterKey('a'), { ...list, view: 'help' }, { kind: 'back' }],
    ['Backspace deletes once', namedKey('backspace'), { ...list, search: 'a🦊' }, search('a')],
    ['Ctrl-U clears the search', ctrlKey('u'), { ...list, search: 'abc' }, search('')],
    ['Ctrl-W deletes the word before the cursor', ctrlKey('w'), { ...list, search: 'ada rex ' }, search('ada ')],
    ['Esc goes back', namedKey('escape'), list, { kind: 'back' }],
    ['Tab changes the status', namedKey('tab'), list, { kind: 'changeStatus', isBackward: false }],
    ['Ctrl-N adds a pet', ctrlKey('n'), list, { kind: 'add' }],
    ['Ctrl-Y copies the id', ctrlKey('y'), list, { kind: 'copyId' }],
    ['Ctrl-R reloads', ctrlKey('r'), list, { kind: 'reload' }],
    ['Ctrl-C is left to the terminal', ctrlKey('c'), list, undefined],
    ['F5 does nothing', namedKey('f5'), list, undefined],
    ['a property name of objects does nothing', namedKey('constructor'), list, undefined],
  ])('%s', (_, key, context, action) => {
    expect(mapKey(key, context)).toEqual(action);
  });

  test.each<[Partial<BrowseState>, ReturnType<typeof findEscapeEffect>]>([
    [{ view: 'help', loading: 'all', search: 'a' }, 'closeView'],
    [{ loading: 'page', search: 'a' }, 'stopLoading'],
    [{ search: 'a' }, 'clearFilter'],
    [{ isTyping: true }, 'clearFilter'],
    [{}, 'quit'],
  ])('Esc with %j: %s', (change, effect) => {
    expect(findEscapeEffect({ ...list, ...change })).toBe(effect);
  });
});

function search(text: string) {
  return { kind: 'search', text } as const;
}
