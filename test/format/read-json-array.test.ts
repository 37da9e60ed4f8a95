import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJsonArray, readNdjson } from '../../src/format/read-json-array.js';

/** The texts and lines of the items. */
function itemsOf(read: typeof readJsonArray, text: string) {
  const bytes = Buffer.from(text);
  return [...read(bytes)].map(({ start, end, line }) => ({ text: bytes.toString('utf8', start, end).trim(), line }));
}

test('readJsonArray yields the items of any array', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (values, space) => {
      const items = itemsOf(readJsonArray, JSON.stringify(values, undefined, space));
      expect(items.map(({ text }) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
    }),
    { numRuns: 500 },
  );
});

test('readJsonArray yields the line number of each item', () => {
  const text = '[\n  {"a":\n 1},\n\n  2,3\n]\n';
  expect(itemsOf(readJsonArray, text)).toMatchObject([{ line: 2 }, { line: 5, text: '2' }, { line: 5 }]);
});

test.each(['', '  ', '{}', '1', '[1] x', '[1][2]', '[1}', ']', '"[1]"'])('%j is not an array', (text) => {
  expect(() => itemsOf(readJsonArray, text)).toThrow('array');
});

test.each(['[', '[1', '[1,', '[{"a":', '["x'])('readJsonArray reports %j as truncated', (text) => {
  expect(() => itemsOf(readJsonArray, text)).toThrow('unexpected end of the array');
});

test.each([
  ['[1,,2]', ['1', '', '2']],
  ['[]', []],
  ['[ ]', []],
  ['[1,\n]', ['1', '']],
])('readJsonArray yields the items of %j: %j', (text, items) => {
  expect(itemsOf(readJsonArray, text).map((item) => item.text)).toEqual(items);
});

test('readNdjson yields non-blank lines with their numbers', () => {
  expect(itemsOf(readNdjson, '{"a":1}\r\n\n  \n{"b":"é"}')).toEqual([
    { text: '{"a":1}', line: 1 },
    { text: '{"b":"é"}', line: 4 },
  ]);
});
