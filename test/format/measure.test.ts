import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as graphemes from '../../src/format/graphemes.js';
import { measureFor } from '../../src/format/measure.js';
import { toSafeText } from '../../src/format/safe-text.js';

test('Latin text is measured without what knows every script, to the same widths', async () => {
  const latin = fc.string({ unit: fc.integer({ min: 0x20, max: 0x2ff }).map(String.fromCharCode) });
  await fc.assert(
    fc.asyncProperty(latin, fc.integer({ min: 1, max: 30 }), async (raw, width) => {
      const text = toSafeText(raw);
      const measure = await measureFor([[text]]);
      expect(measure.displayWidth(text)).toBe(graphemes.displayWidth(text));
      expect(measure.truncateToWidth(text, width)).toBe(graphemes.truncateToWidth(text, width));
    }),
  );
});

test.each(['旺財', '👩', 'Zoe\u0308', 'a\u00ad'])(
  '%j among Latin text is measured as it is',
  async (text) => {
    const measure = await measureFor([['Rex', text]]);
    expect(measure.displayWidth(text)).toBe(graphemes.displayWidth(text));
  },
);

test('every letter that passes as Latin takes one column', async () => {
  for (let code = 0x20; code <= 0x2ff; code += 1) {
    const text = toSafeText(String.fromCharCode(code));
    const { displayWidth: widthOf } = await measureFor([[text]]);
    expect(widthOf(text), code.toString(16)).toBe(graphemes.displayWidth(text));
  }
});
