import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { truncateToWidth, wrapToWidth } from '../../src/format/display-width.js';
import { toSafeText } from '../../src/format/safe-text.js';

describe('truncateToWidth', () => {
  test.each([
    ['Rex', 3, 'Rex'],
    ['旺財旺財', 5, '旺財…'],
    ['Zoe\u0308 Zoe\u0308', 4, 'Zoe\u0308…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
  ])('truncates %j to %d columns: %j', (text, width, kept) => {
    expect(truncateToWidth(toSafeText(text), width)).toBe(kept);
  });

  test('never exceeds the width and never splits a grapheme', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.string({
        unit: fc.constantFrom('👩', '\u200d', '🚀', '🏽', '❤', '\ufe0f', '🇩', '1', '\u20e3', '財', '\u0301', 'a'),
        maxLength: 30,
      }),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (raw, width) => {
        const whole = toSafeText(raw);
        const kept = truncateToWidth(whole, width);
        expect(stringWidth(kept)).toBeLessThanOrEqual(width);
        if (kept === whole) return;
        expect(kept.endsWith('…')).toBe(true);
        const graphemes = graphemesOf(whole);
        const count = graphemesOf(kept.slice(0, -1)).length;
        expect(kept.slice(0, -1)).toBe(graphemes.slice(0, count).join(''));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('wrapToWidth', () => {
  test.each([
    ['Sir Barksalot of Hills', 13, ['Sir Barksalot', 'of Hills']],
    ['Sir Barksalot', 6, ['Sir', 'Barksa', 'lot']],
    ['旺財旺財 旺', 5, ['旺財', '旺財', '旺']],
    ['  "name": "Rex"', 9, ['  "name":', '"Rex"']],
    ['カ\uff9e\uff9ea', 2, ['カ\uff9e\uff9e', 'a']],
    ['a 👨‍👩‍👧👨‍👩‍👧', 3, ['a', '👨‍👩‍👧', '👨‍👩‍👧']],
  ])('wraps %j to %d columns: %j', (text, width, lines) => {
    expect(wrapToWidth(toSafeText(text), width)).toEqual(lines);
  });

  test('never exceeds the width, and omits only spaces', () => {
    const text = fc.string({
      unit: fc.constantFrom('👩', '\u200d', '🏽', '財', '\u0301', 'a', 'b', ' '),
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (raw, width) => {
        const whole = toSafeText(raw);
        // An escape at a break is split, which changes no character.
        const lines = wrapToWidth(whole, width);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''));
      }),
    );
  });
});

function graphemesOf(text: string): readonly string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}
