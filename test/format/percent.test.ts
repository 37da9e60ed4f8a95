import { expect, test } from 'vitest';
import { decodePercent } from '../../src/format/percent.js';

test.each([
  ['plain', 'plain'],
  ['p%40ss', 'p@ss'],
  ['%F0%9F%90%B6', '\u{1f436}'],
  ['100%', undefined],
  ['%ff', undefined],
])('%j stands for %j', (text, decoded) => {
  expect(decodePercent(text)).toBe(decoded);
});
