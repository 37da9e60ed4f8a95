import { expect, test } from 'vitest';
import { plainText, shownText } from '../../src/format/cell.js';
import { exactNumber } from '../../src/format/json.js';

test.each([
  ['Ada', 'Ada'],
  [exactNumber('9223372036854775807'), '9223372036854775807'],
  [['a', { b: 1 }], '["a",{"b":1}]'],
  [false, 'false'],
])('%j as text is %s', (value, text) => {
  expect(plainText(value)).toBe(text);
});

test.each([
  [undefined, '-'],
  [null, '-'],
  ['', '-'],
  [true, 'yes'],
  [false, 'no'],
  [0, '0'],
])('%j is shown to a person as %s', (value, text) => {
  expect(shownText(value)).toBe(text);
});
