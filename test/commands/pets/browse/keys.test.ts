import { describe, expect, test } from 'vitest';
import { actionOf, type Place } from '../../../../src/commands/pets/browse/keys.js';
import type { KeyPress } from '../../../../src/terminal/full-screen.js';
import { control, named, text } from '../../../support/pressed.js';

const list: Place = { page: 'list', filter: '', isTyping: false };
const down = { kind: 'move', by: 'line', back: false } as const;

describe('a key', () => {
  test.each<[string, KeyPress, Place, ReturnType<typeof actionOf>]>([
    ['a letter filters', text('a'), list, { kind: 'filter', text: 'a' }],
    ['another goes on', text('b'), { ...list, filter: 'a' }, { kind: 'filter', text: 'ab' }],
    ['q quits', text('q'), list, { kind: 'end' }],
    ['q in a filter is a letter', text('q'), { ...list, filter: 'a' }, filter('aq')],
    ['q after / is a letter', text('q'), { ...list, isTyping: true }, filter('q')],
    ['/ begins a filter', text('/'), list, { kind: 'typing' }],
    ['? helps', text('?'), { ...list, filter: 'a' }, { kind: 'help' }],
    ['arrows go on in the help', named('down'), { ...list, page: 'help' }, down],
    ['any other key leaves the help', text('a'), { ...list, page: 'help' }, { kind: 'back' }],
    ['Backspace takes one back', named('backspace'), { ...list, filter: 'a🦊' }, filter('a')],
    ['Ctrl-U takes all back', control('u'), { ...list, filter: 'abc' }, filter('')],
    ['Esc quits', named('escape'), list, { kind: 'end' }],
    ['Esc leaves a filter', named('escape'), { ...list, filter: 'a' }, { kind: 'back' }],
    ['Esc leaves a pet', named('escape'), { ...list, page: 'pet' }, { kind: 'back' }],
    ['Tab changes the status', named('tab'), list, { kind: 'status', back: false }],
    ['Ctrl-N adds', control('n'), list, { kind: 'add' }],
    ['Ctrl-Y copies', control('y'), list, { kind: 'copy' }],
    ['Ctrl-R refreshes', control('r'), list, { kind: 'refresh' }],
    ['Ctrl-C is not its own', control('c'), list, undefined],
    ['a key without a meaning has none', named('f5'), list, undefined],
    ['a name of an object’s own is none', named('constructor'), list, undefined],
  ])('%s', (_, key, place, action) => {
    expect(actionOf(key, place)).toEqual(action);
  });

  test('a filter has an end', () => {
    const long = { ...list, filter: 'x'.repeat(60) };
    expect(actionOf(text('y'), long)).toEqual(filter('x'.repeat(60)));
  });
});

function filter(given: string) {
  return { kind: 'filter', text: given } as const;
}
