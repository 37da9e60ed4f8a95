import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJsonArray, readNdjson } from '../../src/format/read-json-array.js';

async function* inChunks(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('readJsonArray yields the items of any array in chunks of any size', async () => {
  const sizes = fc.integer({ min: 1, max: 50 });
  const spaces = fc.constantFrom(undefined, 2, '\t');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), spaces, sizes, async (values, space, size) => {
      const items = await all(readJsonArray(inChunks(JSON.stringify(values, undefined, space), size)));
      expect(items.map(({ text }) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
    }),
    { numRuns: 500 },
  );
});

test('readJsonArray yields the line number of each item', async () => {
  const text = '[\n  {"a":\n 1},\n\n  2,3\n]\n';
  expect(await all(readJsonArray(inChunks(text, 3)))).toMatchObject([{ line: 2 }, { line: 5, text: '2' }, { line: 5 }]);
});

test.each(['', '  ', '{}', '1', '[1] x', '[1][2]', '[1}', ']', '"[1]"'])('%j is not an array', async (text) => {
  await expect(all(readJsonArray(inChunks(text, 2)))).rejects.toThrow('array');
});

test.each(['[', '[1', '[1,', '[{"a":', '["x'])('readJsonArray reports %j as truncated', async (text) => {
  await expect(all(readJsonArray(inChunks(text, 2)))).rejects.toThrow('unexpected end of the array');
});

test.each([
  ['[1,,2]', ['1', '', '2']],
  ['[]', []],
  ['[ ]', []],
])('readJsonArray yields the items of %j: %j', async (text, items) => {
  expect((await all(readJsonArray(inChunks(text, 1)))).map((item) => item.text)).toEqual(items);
});

test('readNdjson yields non-blank lines with their numbers', async () => {
  expect(await all(readNdjson(inChunks('{"a":1}\r\n\n  \n{"b":2}', 3)))).toEqual([
    { text: '{"a":1}\r', line: 1 },
    { text: '{"b":2}', line: 4 },
  ]);
});

test.each(['[1,\n]', '[,\n ]'])('readJsonArray rejects the comma at the end of %j', async (text) => {
  await expect(all(readJsonArray(inChunks(text, 1)))).rejects.toThrow('a comma before the ] on line 2');
});

test('readNdjson rejects a line longer than 1 MiB before its end', async () => {
  await expect(all(readNdjson(inChunks('x'.repeat(3_000_000), 65_536)))).rejects.toThrow('1 MiB');
});
