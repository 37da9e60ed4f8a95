import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsvCell, formatCsv } from '../../src/format/format-csv.js';

describe('formatCsv', () => {
  test.each([
    ['=', '=1+1', "'=1+1"],
    ['@', '@SUM(A1)', "'@SUM(A1)"],
    ['a carriage return', '\r=1', '"\'\r=1"'],
    ['an apostrophe', "'tis", "''tis"],
    ['= and needs quotes', '=cmd|"/c calc",1', '"\'=cmd|""/c calc"",1"'],
  ])('prefixes text that starts with %s by an apostrophe', (_, text, written) => {
    expect(formatCsv([[{ text }, { text: 'x' }]], ',')).toBe(`${written},x\n`);
  });

  test.each(['a=1', ' =1', 'Rex', '1', '日本'])('leaves %j unchanged', (text) => {
    expect(formatCsv([[{ text }]], ',')).toBe(`${text}\n`);
  });

  test.each(['-5', '+1', '9223372036854775807', '1.0', '-1e3'])('leaves the number %s as it is', (number) => {
    expect(formatCsv([[{ number }]], ',')).toBe(`${number}\n`);
  });

  test('formats undefined as an empty cell', () => {
    expect(formatCsv([[{ text: 'a' }, undefined, { text: '' }, { text: 'b' }]], ',')).toBe('a,,,b\n');
  });

  test('separates TSV cells by tabs and quotes a cell with a tab', () => {
    expect(formatCsv([texts('a,b', 'c\td', '\te')], '\t')).toBe('a,b\t"c\td"\t"\'\te"\n');
  });

  test.each([',', '\t'] as const)('is read back exactly with %j between cells', (delimiter) => {
    const character = fc.constantFrom(
      ...[',', '\t', '"', "'", '\n', '\r', '=', '+', '-', '@', ' ', 'a', '🐕', '\0', '\u001b', '\ufeff'],
    );
    const text = fc.string({ unit: character, maxLength: 6 });
    const row = fc.array(text, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
        const written = formatCsv(
          rows.map((cells) => texts(...cells)),
          delimiter,
        );
        const read = readCsv(written, delimiter).map((cells) => cells.map((cell) => cell.replace(/^'/, '')));
        expect(read).toEqual(rows);
        for (const cells of readCsv(written, delimiter)) {
          for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function texts(...cells: readonly string[]): readonly CsvCell[] {
  return cells.map((text) => ({ text }));
}

/** RFC 4180, but a carriage return outside quotes also ends a line. */
function readCsv(document: string, delimiter: ',' | '\t'): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))(${delimiter}|\\r?\\n|\\r)`, 'gy');
  for (const [, quoted, bare, end] of document.matchAll(cell)) {
    row.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end === delimiter) continue;
    rows.push(row);
    row = [];
  }
  expect(row).toEqual([]);
  return rows;
}
