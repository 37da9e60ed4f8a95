import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeDocument, toSafeText, truncate } from '../../src/format/safe-text.js';

describe('toSafeText', () => {
  test.each([
    ['ESC', '\u001b[2J', '\\u001b[2J'],
    ['C1', '\u009b31m', '\\u009b31m'],
    ['a carriage return', 'a\rb', 'a\\u000db'],
    ['a line feed', 'a\nb', 'a\\u000ab'],
    ['a line separator', '\u2028', '\\u2028'],
    ['a bidi override', '\u202e', '\\u202e'],
    ['a tag', '\u{e0041}', '\\u{e0041}'],
    ['a variation selector on a letter', 'a\ufe0f', 'a\\ufe0f'],
    ['a variation selector on a digit that is no keycap', '1\ufe0f', '1\\ufe0f'],
    ['a joiner between letters', 'a\u200db', 'a\\u200db'],
    ['a joiner before an emoji', 'a\u200d👩', 'a\\u200d👩'],
  ])('escapes %s', (_, text, shown) => {
    expect(toSafeText(text)).toBe(shown);
  });

  test.each([
    ['plain words', 'Rex, the dog (3 years)'],
    ['accents and combining marks', 'Zoë Zoe\u0308'],
    ['a family', '👨‍👩‍👧'],
    ['a joiner after a skin tone', '👩🏽‍🚀'],
    ['a red heart', '❤️'],
    ['a flag', '🇩🇪'],
    ['nothing', ''],
  ])('leaves %s unchanged', (_, text) => {
    expect(toSafeText(text)).toBe(text);
  });

  test('keeps only line feeds and tabs with multiline', () => {
    expect(toSafeText('a\r\nb\tc', { multiline: true })).toBe('a\\u000d\nb\tc');
  });

  test.each([['a joiner before', '🐕\u200d\u{1f02c}', '🐕\\u200d\\u{1f02c}']])(
    'escapes %s an unassigned pictograph',
    (_, text, shown) => {
      expect(toSafeText(text)).toBe(shown);
    },
  );

  test('escapes every unsafe character except joiners inside emoji', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const rest = toSafeText(text).replace(joinerInEmoji, '');
        expect(rest).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('escapeDocument', () => {
  test('escapes unsafe characters but keeps line feeds', () => {
    expect(escapeDocument('{\n"\u202e\u{e0041}"}', (code) => `<${code}>`)).toBe('{\n"\\u202e<917569>"}');
  });
});

describe('truncate', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['', 3, ''],
    ['abc', 1, '…'],
  ])('truncates %j to %d characters: %j', (text, length, short) => {
    expect(truncate(text, length)).toBe(short);
  });

  test('never leaves a high surrogate', () => {
    expect(truncate('ab🐕cd', 4)).toBe('ab…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, length) => {
        expect(truncate(text, length).isWellFormed()).toBe(true);
        expect(truncate(text, length).length).toBeLessThanOrEqual(length);
      }),
      { numRuns: 1_000 },
    );
  });
});

const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1 }),
      fc.constantFrom(
        ...['\u200d', '\ufe0f', '\ufe0e', '👩', '🏽', '❤', '1', '\u20e3', '🇩', '🇪', '\u{1f02c}'],
        ...['\ud800', '\udc00', '\u001b', '\u009b', '\n', 'a', '\u0301', '\u{e0041}', '\u202e'],
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const joinerInEmoji = /(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})/gu;
