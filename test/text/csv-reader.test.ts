import { expect, test } from 'vitest';
import { readCsv } from '../../src/text/csv-reader.js';

async function rows(text: string, size = 7) {
  const found: unknown[] = [];
  for await (const { cells, line } of readCsv(inChunks(text, size))) found.push([line, ...cells]);
  return found;
}

async function* inChunks(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

test.each([
  ['commas', 'name,id\na,1\nb,2\n'],
  ['semicolons', 'name;id\na;1\nb;2\n'],
  ['tabs', 'name\tid\na\t1\nb\t2\n'],
  ['carriage returns', 'name,id\r\na,1\r\nb,2\r\n'],
  ['no newline at the end', 'name,id\na,1\nb,2'],
  ['quotes', '"name","id"\n"a","1"\n"b","2"\n'],
])('reads rows with %s', async (_, text) => {
  expect(await rows(text)).toEqual([
    [1, 'name', 'id'],
    [2, 'a', '1'],
    [3, 'b', '2'],
  ]);
});

test('takes the delimiter that a line of a spreadsheet names', async () => {
  expect(await rows('sep=;\r\nname;id\r\n"a,b";1\r\n')).toEqual([
    [2, 'name', 'id'],
    [3, 'a,b', '1'],
  ]);
});

test('names the line that a row begins on, over quotes and empty rows', async () => {
  expect(await rows('name,id\n\n"a\nb",1\n,\n"say ""hi""",2\n')).toEqual([
    [1, 'name', 'id'],
    [3, 'a\nb', '1'],
    [6, 'say "hi"', '2'],
  ]);
});

test('tells of a quote that does not end', async () => {
  await expect(rows('name,id\na,1\n"b,2\nc,3\n')).rejects.toMatchObject({
    name: 'CsvProblem',
    line: 3,
  });
});

test('hands on what goes wrong with the source', async () => {
  async function* broken() {
    yield 'name,id\na';
    throw new Error('disk');
  }
  const reading = (async () => {
    for await (const _ of readCsv(broken()));
  })();
  await expect(reading).rejects.toThrow('disk');
});
