import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { type SafeText, toSafeText } from '../../src/format/safe-text.js';
import { formatRecordBlocks, formatTable } from '../../src/format/table.js';

describe('formatTable', () => {
  test('separates columns by two spaces without borders, with or without a header', async () => {
    const rows = [
      ['1', 'Rex', 'available'],
      ['20', 'Biscuit', 'sold'],
    ];
    const body = ['1   Rex      available', '20  Biscuit  sold'];
    expect(await table(['id', 'name', 'status'], rows)).toBe(lines('id  name     status', ...body));
    expect(await table(['a long heading', 'name', 'status'], rows, { header: false })).toBe(lines(...body));
    expect(await table(['id', 'name'], [])).toBe('id  name\n');
  });

  test.each([
    ['Chinese', '旺財', 4],
    ['an emoji', '🐕', 2],
    ['a family', '👨‍👩‍👧', 2],
    ['a red heart', '❤️', 2],
    ['a combining mark', 'Zoe\u0308', 3],
    ['Thai marks above a letter', 'ที่', 1],
  ])('aligns the column after %s', async (_, name, width) => {
    const rows = [
      [name, 'x'],
      ['12345678', 'y'],
    ];
    expect(await table(['a', 'b'], rows)).toBe(
      lines('a         b', `${name}${' '.repeat(8 - width + 2)}x`, '12345678  y'),
    );
  });

  test('aligns every character from U+0020 to U+02FF as string-width does', async () => {
    for (let code = 0x20; code <= 0x2ff; code += 1) {
      const name = toSafeText(String.fromCharCode(code));
      const padded = `${name}${' '.repeat(8 - stringWidth(name))}`;
      const row = [
        [name, 'x'],
        ['12345678', 'y'],
      ];
      expect(await table(['a', 'b'], row)).toContain(`\n${padded}  x\n`);
    }
  });

  test('truncates the shrinkable columns evenly to the width', async () => {
    const long = ['x'.repeat(60), 'y'.repeat(60), 'sold'];
    const canShrink = ['a', 'b'];
    expect(await table(['a', 'b', 'status'], [long], { canShrink, width: 40, header: false })).toBe(
      `${'x'.repeat(15)}…  ${'y'.repeat(15)}…  sold\n`,
    );
  });

  test('prints one record per block if no column can shrink', async () => {
    expect(await table(['id', 'name'], [['1', 'n'.repeat(60)]], { width: 40 })).toBe(
      lines('id:   1', `name: ${'n'.repeat(60)}`),
    );
  });

  test('prints one record per block if the shrinkable column would get narrower than 8', async () => {
    const rows = [['n'.repeat(20), 'x'.repeat(31)]];
    expect(await table(['name', 'note'], rows, { canShrink: ['name'], width: 40, header: false })).toBe(
      lines(`name: ${'n'.repeat(20)}`, `note: ${'x'.repeat(31)}`),
    );
    expect(await table(['name', 'note'], rows, { canShrink: ['name'], width: 41, header: false })).toBe(
      `nnnnnnn…  ${'x'.repeat(31)}\n`,
    );
  });

  test('measures and truncates text before coloring it', async () => {
    const text = await formatTable(
      [
        { name: toSafeText('status'), canShrink: false },
        { name: toSafeText('name'), canShrink: true },
      ],
      [[toSafeText('sold'), toSafeText('n'.repeat(60))]],
      {
        hasHeader: true,
        width: 40,
        styleHeading: (cell) => `\u001b[1m${cell}\u001b[22m`,
        styleCell: (cell, column) => (column === 0 ? `\u001b[90m${cell}\u001b[39m` : cell),
      },
    );
    expect(text).toBe(
      lines('\u001b[1mstatus\u001b[22m  \u001b[1mname\u001b[22m', `\u001b[90msold\u001b[39m    ${'n'.repeat(31)}…`),
    );
  });
});

describe('formatTable at any width', () => {
  const grapheme = fc.constantFrom(
    ...['a', 'Z', '0', ' ', '-', 'é', 'e\u0301', 'ﷺ', 'ש', 'ك\u064e', 'ที่', 'क्षि', '각', '財', '旺', 'Ａ'],
    ...['🐕', '👨‍👩‍👧', '👩🏽‍🚀', '👍🏿', '🏳️‍🌈', '🇩🇪', '🇫🇷', '1️⃣', '❤️', '❤', '☎︎', '🫱🏻‍🫲🏿', '…'],
    ...['o\u0302\u0303\u0304', '\u{1d11e}', '\u{20000}', '\u001b', '\u200d', '\u{e0041}', '\ud800'],
  );
  const cell = fc.array(grapheme, { maxLength: 40 }).map((parts) => toSafeText(`x${parts.join('')}`));
  const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 });
  const names = ['id', 'name', 'note', 'status'];

  /** Returns the lines of a table with two shrinkable columns, and the text of their cells. */
  async function draw(pairs: readonly (readonly [SafeText, SafeText])[], width: number) {
    const drawn: SafeText[][] = [[], []];
    const text = await formatTable(
      columns(names, ['name', 'note']),
      pairs.map(([name, note]) => [toSafeText('1'), name, note, toSafeText('sold')]),
      {
        hasHeader: true,
        width,
        styleHeading: (name) => name,
        styleCell: (value, column) => {
          drawn[column - 1]?.push(value);
          return value;
        },
      },
    );
    return { lines: text.trimEnd().split('\n'), drawn };
  }

  test('aligns all columns from 40 columns on, and splits no grapheme', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 40, max: 200 }), async (pairs, width) => {
        const { lines: drawnLines, drawn } = await draw(pairs, width);
        const [head = '', ...rest] = drawnLines;
        const start = stringWidth(head.slice(0, head.lastIndexOf('status')));
        expect(rest).toHaveLength(pairs.length);
        for (const line of rest) {
          expect(stringWidth(line.slice(0, -'sold'.length))).toBe(start);
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
        }
        drawn.slice(0, 2).forEach((cells, column) => {
          cells.forEach((shown, row) => {
            expectWhole(shown, (pairs[row] as readonly SafeText[])[column] as SafeText);
          });
        });
      }),
      { numRuns: 400 },
    );
  });

  test('wraps the values of a block per record, but truncates none', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 20, max: 39 }), async (pairs, width) => {
        const styles = { styleHeading: (name: string) => name, styleCell: (text: string) => text };
        const text = await formatRecordBlocks(columns(['name', 'note']), pairs, { ...styles, width });
        const omitSpaces = (shown: string) => shown.replaceAll(/[ \n]+/g, '');
        const fields = pairs.flatMap(([name, note]) => [`name:${name}`, `note:${note}`]);
        expect(omitSpaces(text)).toBe(omitSpaces(fields.join('')));
      }),
      { numRuns: 200 },
    );
  });
});

describe('formatTable with much data', () => {
  test('limits the effect of a 1 MB name to its row', async () => {
    const others = Array.from({ length: 5_000 }, (_, index) => [`${index}`, `pet ${index}`, 'sold']);
    const text = await table(['id', 'name', 'status'], [['x', 'n'.repeat(1_000_000), 'sold'], ...others]);
    const rows = text.trimEnd().split('\n');
    expect(rows).toHaveLength(5_002);
    expect(rows[1]).toHaveLength('x     '.length + 1_000_000 + '  sold'.length);
    expect(rows.slice(2).every((row) => row.length <= 6 + 500 + '  sold'.length)).toBe(true);
    expect(rows.at(-1)).toBe(`4999  ${'pet 4999'.padEnd(500)}  sold`);
  });
});

describe('formatRecordBlocks', () => {
  test('separates records by an empty line and truncates nothing', async () => {
    const long = 'n'.repeat(300);
    expect(
      await formatRecordBlocks(
        columns(['id', '名前']),
        [
          [toSafeText('1'), toSafeText(long)],
          [toSafeText('2'), toSafeText('Rex')],
        ],
        {
          styleHeading: (name) => name.toUpperCase(),
          styleCell: (value, column) => `${column}${value}`,
          width: undefined,
        },
      ),
    ).toBe(lines('ID:   01', `名前: 1${long}`, '', 'ID:   02', '名前: 1Rex'));
  });

  test('wraps a long value at words to the width of the terminal, below its start', async () => {
    const rows = [[toSafeText('1'), toSafeText('Sir Barksalot 旺財 of the Northern Hills')]];
    const same = (text: string) => text;
    const styles = { styleHeading: same, styleCell: (text: string) => `<${text}>` };
    expect(await formatRecordBlocks(columns(['id', 'name']), rows, { ...styles, width: 26 })).toBe(
      lines('id:   <1>', 'name: <Sir Barksalot 旺財>', '      <of the Northern>', '      <Hills>'),
    );
  });
});

async function table(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { header = true, width, canShrink = [] }: { header?: boolean; width?: number; canShrink?: readonly string[] } = {},
): Promise<string> {
  return formatTable(
    columns(names, canShrink),
    rows.map((row) => row.map((text) => toSafeText(text))),
    {
      hasHeader: header,
      width,
      styleHeading: (name) => name,
      styleCell: (text) => text,
    },
  );
}

function columns(names: readonly string[], canShrink: readonly string[] = []) {
  return names.map((name) => ({ name: toSafeText(name), canShrink: canShrink.includes(name) }));
}

function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}

function graphemesOf(text: string): readonly string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

/** Expects the full text, or a whole number of its graphemes and an ellipsis. */
function expectWhole(shown: SafeText, text: SafeText): void {
  if (shown === text) return;
  expect(shown.endsWith('…')).toBe(true);
  const kept = shown.slice(0, -1);
  expect(kept).toBe(graphemesOf(text).slice(0, graphemesOf(kept).length).join(''));
}
