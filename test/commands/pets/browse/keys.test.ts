import { describe, expect, test } from 'vitest';
import { type KeyContext, mapKey } from '../../../../src/commands/pets/browse/keys.js';
import type { KeyPress } from '../../../../src/terminal/full-screen.js';
import { control, named, text } from '../../../support/pressed.js';

const list: KeyContext = { view: 'list', search: '', isTyping: false };
const down = { kind: 'move', by: 'line', isBackward: false } as const;

describe('mapKey', () => {
  test.each<[string, KeyPress, KeyContext, ReturnType<typeof mapKey>]>([
    ['a letter starts a search', text('a'), list, { kind: 'search', text: 'a' }],
    ['another letter extends it', text('b'), { ...list, search: 'a' }, search('ab')],
    ['q quits', text('q'), list, { kind: 'quit' }],
    ['q in a search is a letter', text('q'), { ...list, search: 'a' }, search('aq')],
    ['q after / is a letter', text('q'), { ...list, isTyping: true }, search('q')],
    ['/ starts a search', text('/'), list, { kind: 'startSearch' }],
    ['? opens the help', text('?'), { ...list, search: 'a' }, { kind: 'help' }],
    ['arrows scroll the help', named('down'), { ...list, view: 'help' }, down],
    ['any other key leaves the help', text('a'), { ...list, view: 'help' }, { kind: 'back' }],
    ['Backspace deletes once', named('backspace'), { ...list, search: 'a🦊' }, search('a')],
    ['Ctrl-U clears the search', control('u'), { ...list, search: 'abc' }, search('')],
    ['Esc quits', named('escape'), list, { kind: 'quit' }],
    ['Esc leaves a search', named('escape'), { ...list, search: 'a' }, { kind: 'back' }],
    ['Esc leaves the details', named('escape'), { ...list, view: 'details' }, { kind: 'back' }],
    ['Tab changes the status', named('tab'), list, { kind: 'changeStatus', isBackward: false }],
    ['Ctrl-N adds a pet', control('n'), list, { kind: 'add' }],
    ['Ctrl-Y copies the id', control('y'), list, { kind: 'copyId' }],
    ['Ctrl-R refreshes', control('r'), list, { kind: 'refresh' }],
    ['Ctrl-C is left to the terminal', control('c'), list, undefined],
    ['F5 does nothing', named('f5'), list, undefined],
    ['a property name of objects does nothing', named('constructor'), list, undefined],
  ])('%s', (_, key, context, action) => {
    expect(mapKey(key, context)).toEqual(action);
  });

  test('a search is limited to 60 characters', () => {
    const long = { ...list, search: 'x'.repeat(60) };
    expect(mapKey(text('y'), long)).toEqual(search('x'.repeat(60)));
  });
});

function search(given: string) {
  return { kind: 'search', text: given } as const;
}
