import { describe, expect, test } from 'vitest';
import { type KeyContext, mapKey } from '../../../../src/commands/pets/browse/keys.js';
import type { KeyPress } from '../../../../src/terminal/full-screen.js';
import { ctrlKey, letterKey, namedKey } from '../../../support/key-press.js';

const list: KeyContext = { view: 'list', search: '', isTyping: false };
const down = { kind: 'move', by: 'line', isBackward: false } as const;

describe('a key', () => {
  test.each<[string, KeyPress, KeyContext, ReturnType<typeof mapKey>]>([
    ['a letter filters', letterKey('a'), list, { kind: 'search', text: 'a' }],
    ['another goes on', letterKey('b'), { ...list, search: 'a' }, { kind: 'search', text: 'ab' }],
    ['q quits', letterKey('q'), list, { kind: 'quit' }],
    ['q in a filter is a letter', letterKey('q'), { ...list, search: 'a' }, filter('aq')],
    ['q after / is a letter', letterKey('q'), { ...list, isTyping: true }, filter('q')],
    ['/ begins a filter', letterKey('/'), list, { kind: 'startSearch' }],
    ['? helps', letterKey('?'), { ...list, search: 'a' }, { kind: 'help' }],
    ['arrows go on in the help', namedKey('down'), { ...list, view: 'help' }, down],
    ['any other key leaves the help', letterKey('a'), { ...list, view: 'help' }, { kind: 'back' }],
    ['Backspace takes one back', namedKey('backspace'), { ...list, search: 'a🦊' }, filter('a')],
    ['Ctrl-U takes all back', ctrlKey('u'), { ...list, search: 'abc' }, filter('')],
    ['Esc quits', namedKey('escape'), list, { kind: 'quit' }],
    ['Esc leaves a filter', namedKey('escape'), { ...list, search: 'a' }, { kind: 'back' }],
    ['Esc leaves a pet', namedKey('escape'), { ...list, view: 'details' }, { kind: 'back' }],
    ['Tab changes the status', namedKey('tab'), list, { kind: 'changeStatus', isBackward: false }],
    ['Ctrl-N adds', ctrlKey('n'), list, { kind: 'add' }],
    ['Ctrl-Y copies', ctrlKey('y'), list, { kind: 'copyId' }],
    ['Ctrl-R refreshes', ctrlKey('r'), list, { kind: 'refresh' }],
    ['Ctrl-C is not its own', ctrlKey('c'), list, undefined],
    ['a key without a meaning has none', namedKey('f5'), list, undefined],
    ['a name of an object’s own is none', namedKey('constructor'), list, undefined],
  ])('%s', (_, key, place, action) => {
    expect(mapKey(key, place)).toEqual(action);
  });

  test('a filter has an end', () => {
    const long = { ...list, search: 'x'.repeat(60) };
    expect(mapKey(letterKey('y'), long)).toEqual(filter('x'.repeat(60)));
  });
});

function filter(given: string) {
  return { kind: 'search', text: given } as const;
}
