import { expect, test } from 'vitest';
import { toDisplayText, toExactNumber, toPlainText } from '../../src/format/json.js';

test.each([
  ['Ada', 'Ada'],
  [toExactNumber('9223372036854775807'), '9223372036854775807'],
  [['a', { b: 1 }], '["a",{"b":1}]'],
  [false, 'false'],
])('toPlainText formats %j as %s', (value, text) => {
  expect(toPlainText(value)).toBe(text);
});

test.each([
  [undefined, '-'],
  [null, '-'],
  ['', '-'],
  [true, 'yes'],
  [false, 'no'],
  [0, '0'],
])('toDisplayText formats %j as %s', (value, text) => {
  expect(toDisplayText(value)).toBe(text);
});
