import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCsv } from '../../src/format/format-csv.js';
import { type CsvRow, readCsv } from '../../src/format/read-csv.js';

async function rows(text: string) {
  const found: unknown[] = [];
  const bytes = Buffer.from(text);
  for await (const batch of readCsv(bytes)) {
    for (const { cells, line, start, end } of batch) {
      found.push([line, ...cells]);
      // A row stands alone, line feed included.
      expect(text.split(/\r?\n/)[line - 1]).toBe(bytes.toString('utf8', start, end).split(/\r?\n/)[0]);
    }
  }
  return found;
}

test.each([
  ['commas', 'name,id\na,1\nb,2\n'],
  ['semicolons', 'name;id\na;1\nb;2\n'],
  ['tabs', 'name\tid\na\t1\nb\t2\n'],
  ['CRLF', 'name,id\r\na,1\r\nb,2\r\n'],
  ['no newline at the end', 'name,id\na,1\nb,2'],
])('reads rows with %s', async (_, text) => {
  expect(await rows(text)).toEqual([
    [1, 'name', 'id'],
    [2, 'a', '1'],
    [3, 'b', '2'],
  ]);
});

test('counts a CRLF in quotes as one line', async () => {
  expect(await rows('name,id\r\n"a\r\nb","1\r\n\r\n2"\r\nc,3\r\n"d\r\ne\nf",4\r\ng,5')).toEqual([
    [1, 'name', 'id'],
    [2, 'a\r\nb', '1\r\n\r\n2'],
    [6, 'c', '3'],
    [7, 'd\r\ne\nf', '4'],
    [10, 'g', '5'],
  ]);
});

test.each([
  ['rows with fewer and more cells', 'a,b\n1\n1,2,3\n', '1:a|b 2:1 3:1|2|3'],
  ['empty rows at the start and the end', '\n\na,b\n1,2\n\n\n', '3:a|b 4:1|2'],
  ['quotes in the middle of a cell', 'a,b\n5" disk,say "hi"\n', '1:a|b 2:5" disk|say "hi"'],
  ['nothing', '', ''],
])('reads %s', async (_, text, expected) => {
  const read = (await rows(text)) as [number, ...string[]][];
  expect(read.map(([line, ...cells]) => `${line}:${cells.join('|')}`).join(' ')).toBe(expected);
});

test('reads back what formatCsv writes', async () => {
  const text = fc.string({ unit: fc.constantFrom(...',;\t"\'\n\r=a 😀'), maxLength: 6 });
  const cells = fc.tuple(
    text.map((cell) => `x${cell}`),
    text,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 5 }), async (table) => {
      const head = ['name', 'id'];
      const written = formatCsv(
        [head, ...table].map((row) => row.map((number) => ({ number }))),
        ',',
      );
      const read = await rows(written);
      expect(read.map((row) => (row as string[]).slice(1))).toEqual([head, ...table]);
    }),
    { numRuns: 300 },
  );
});

test('reports an unclosed quote with its line', async () => {
  await expect(rows('name,id\na,1\n"b,2\nc,3\n')).rejects.toMatchObject({
    name: 'CsvSyntaxError',
    message: expect.stringMatching(/^line 3: unclosed quote/),
  });
});

test('reads a table that is longer than a chunk', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `"Pet ${index}\r\n",€`);
  const bytes = Buffer.from(`name,id\r\n${lines.join('\r\n')}`);
  const found: CsvRow[] = [];
  for await (const batch of readCsv(bytes)) found.push(...batch);
  expect(found).toHaveLength(20_001);
  expect(found.at(-1)).toMatchObject({ line: 2 + 2 * 19_999, cells: ['Pet 19999\r\n', '€'], end: bytes.length });
});
