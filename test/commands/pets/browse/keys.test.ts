import { describe, expect, test } from 'vitest';
import { type KeyContext, mapKey } from '../../../../src/commands/pets/browse/keys.js';
import type { KeyPress } from '../../../../src/terminal/full-screen.js';
import { control, named, text } from '../../../support/pressed.js';

const list: KeyContext = { view: 'list', search: '', isTyping: false };
const down = { kind: 'move', by: 'line', isBackward: false } as const;

describe('a key', () => {
  test.each<[string, KeyPress, KeyContext, ReturnType<typeof mapKey>]>([
    ['a letter filters', text('a'), list, { kind: 'search', text: 'a' }],
    ['another goes on', text('b'), { ...list, search: 'a' }, { kind: 'search', text: 'ab' }],
    ['q quits', text('q'), list, { kind: 'quit' }],
    ['q in a filter is a letter', text('q'), { ...list, search: 'a' }, filter('aq')],
    ['q after / is a letter', text('q'), { ...list, isTyping: true }, filter('q')],
    ['/ begins a filter', text('/'), list, { kind: 'startSearch' }],
    ['? helps', text('?'), { ...list, search: 'a' }, { kind: 'help' }],
    ['arrows go on in the help', named('down'), { ...list, view: 'help' }, down],
    ['any other key leaves the help', text('a'), { ...list, view: 'help' }, { kind: 'back' }],
    ['Backspace takes one back', named('backspace'), { ...list, search: 'a🦊' }, filter('a')],
    ['Ctrl-U takes all back', control('u'), { ...list, search: 'abc' }, filter('')],
    ['Esc quits', named('escape'), list, { kind: 'quit' }],
    ['Esc leaves a filter', named('escape'), { ...list, search: 'a' }, { kind: 'back' }],
    ['Esc leaves a pet', named('escape'), { ...list, view: 'details' }, { kind: 'back' }],
    ['Tab changes the status', named('tab'), list, { kind: 'changeStatus', isBackward: false }],
    ['Ctrl-N adds', control('n'), list, { kind: 'add' }],
    ['Ctrl-Y copies', control('y'), list, { kind: 'copyId' }],
    ['Ctrl-R refreshes', control('r'), list, { kind: 'refresh' }],
    ['Ctrl-C is not its own', control('c'), list, undefined],
    ['a key without a meaning has none', named('f5'), list, undefined],
    ['a name of an object’s own is none', named('constructor'), list, undefined],
  ])('%s', (_, key, place, action) => {
    expect(mapKey(key, place)).toEqual(action);
  });

  test('a filter has an end', () => {
    const long = { ...list, search: 'x'.repeat(60) };
    expect(mapKey(text('y'), long)).toEqual(filter('x'.repeat(60)));
  });
});

function filter(given: string) {
  return { kind: 'search', text: given } as const;
}
