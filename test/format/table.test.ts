import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import * as graphemes from '../../src/format/graphemes.js';
import { type SafeText, toSafeText } from '../../src/format/safe-text.js';
import { formatRecordBlocks, formatTable } from '../../src/format/table.js';

const { truncateToWidth: cut } = graphemes;

describe('formatTable', () => {
  test('puts two spaces between columns and draws no lines', () => {
    expect(
      table(
        ['id', 'name', 'status'],
        [
          ['1', 'Rex', 'available'],
          ['20', 'Biscuit', 'sold'],
        ],
      ),
    ).toBe(
      lines(
        'id  name     status', //
        '1   Rex      available',
        '20  Biscuit  sold',
      ),
    );
  });

  test('leaves the header out', () => {
    expect(table(['a long heading', 'name'], [['1', 'Rex']], { header: false })).toBe('1  Rex\n');
  });

  test('shows the header alone where there are no rows', () => {
    expect(table(['id', 'name'], [])).toBe('id  name\n');
  });

  test('is empty without header and rows', () => {
    expect(table(['id', 'name'], [], { header: false })).toBe('');
  });

  test.each([
    ['Chinese', '旺財', 4],
    ['Korean', '강아지', 6],
    ['full-width Latin', 'Ｒｅｘ', 6],
    ['an emoji', '🐕', 2],
    ['a family', '👨‍👩‍👧', 2],
    ['a flag', '🇩🇪', 2],
    ['a skin tone', '👍🏽', 2],
    ['a heart in colour', '❤️', 2],
    ['a combining mark', 'Zoe\u0308', 3],
    ['Thai marks above a letter', 'ที่', 1],
    ['an Arabic vowel', 'كَ', 1],
    ['a Devanagari sign above a letter', 'कं', 1],
  ])('aligns the column after %s', (_, name, width) => {
    expect(
      table(
        ['a', 'b'],
        [
          [name, 'x'],
          ['12345678', 'y'],
        ],
      ),
    ).toBe(lines('a         b', `${name}${' '.repeat(8 - width + 2)}x`, '12345678  y'));
  });

  test('cuts nothing where there is no width', () => {
    const name = 'long '.repeat(1_000).trim();
    expect(table(['id', 'name'], [['1', name]], { header: false })).toBe(`1  ${name}\n`);
  });

  test('cuts an canShrink column to the width', () => {
    expect(
      table(['id', 'name', 'status'], [['1', 'n'.repeat(60), 'available']], {
        canShrink: ['name'],
        width: 40,
      }),
    ).toBe(
      lines(
        `id  name${' '.repeat(21)}  status`, //
        `1   ${'n'.repeat(24)}…  available`,
      ),
    );
  });

  test('fits exactly without a cut', () => {
    expect(table(['id', 'name'], [['1', 'n'.repeat(36)]], { canShrink: ['name'], width: 40 })).toBe(
      lines('id  name', `1   ${'n'.repeat(36)}`),
    );
  });

  test('cuts the widest of several canShrink columns first', () => {
    expect(
      table(['a', 'b'], [['x'.repeat(60), 'y'.repeat(10)]], {
        canShrink: ['a', 'b'],
        width: 40,
        header: false,
      }),
    ).toBe(`${'x'.repeat(27)}…  ${'y'.repeat(10)}\n`);
  });

  test('cuts several canShrink columns alike where one is not enough', () => {
    expect(
      table(['a', 'b'], [['x'.repeat(60), 'y'.repeat(60)]], {
        canShrink: ['a', 'b'],
        width: 40,
        header: false,
      }),
    ).toBe(`${'x'.repeat(18)}…  ${'y'.repeat(18)}…\n`);
  });

  test('cuts a wide character whole', () => {
    expect(
      table(['id', 'name'], [['1', '財'.repeat(30)]], {
        canShrink: ['name'],
        width: 40,
        header: false,
      }),
    ).toBe(`1  ${'財'.repeat(18)}…\n`);
  });

  test('shows one record per block where no column may be cut', () => {
    expect(table(['id', 'name'], [['1', 'n'.repeat(60)]], { width: 40 })).toBe(
      lines('id:   1', `name: ${'n'.repeat(60)}`),
    );
  });

  test('shows one record per block where the canShrink column would keep less than 8', () => {
    const rows = [['n'.repeat(20), 'x'.repeat(31)]];
    expect(table(['name', 'note'], rows, { canShrink: ['name'], width: 40, header: false })).toBe(
      lines(`name: ${'n'.repeat(20)}`, `note: ${'x'.repeat(31)}`),
    );
    expect(table(['name', 'note'], rows, { canShrink: ['name'], width: 41, header: false })).toBe(
      `nnnnnnn…  ${'x'.repeat(31)}\n`,
    );
  });

  test('shows one record per block under 40 columns, however short the records are', () => {
    const rows = [
      ['1', 'Rex'],
      ['2', 'Ada'],
    ];
    expect(table(['id', 'name'], rows, { width: 39 })).toBe(
      lines('id:   1', 'name: Rex', '', 'id:   2', 'name: Ada'),
    );
    expect(table(['id', 'name'], rows, { width: 40 })).toBe(
      lines('id  name', '1   Rex', '2   Ada'),
    );
  });

  test('dresses headings and cells after it has measured and cut them', () => {
    const text = formatTable(
      [
        { name: toSafeText('status'), canShrink: false },
        { name: toSafeText('name'), canShrink: true },
      ],
      [[toSafeText('sold'), toSafeText('n'.repeat(60))]],
      {
        hasHeader: true,
        width: 40,
        measure: graphemes,
        styleHeading: (cell) => `\u001b[1m${cell}\u001b[22m`,
        styleCell: (cell, column) => (column === 0 ? `\u001b[90m${cell}\u001b[39m` : cell),
      },
    );
    expect(text).toBe(
      lines(
        '\u001b[1mstatus\u001b[22m  \u001b[1mname\u001b[22m',
        `\u001b[90msold\u001b[39m    ${'n'.repeat(31)}…`,
      ),
    );
  });

  test('no line is wider than the terminal, and each row has one line', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => toSafeText(text));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constant(toSafeText('1')), cell), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 40, max: 120 }),
        (rows, width) => {
          const text = formatTable(
            [
              { name: toSafeText('id'), canShrink: false },
              { name: toSafeText('name'), canShrink: true },
            ],
            rows,
            {
              hasHeader: true,
              width,
              measure: graphemes,
              styleHeading: (name) => name,
              styleCell: (value) => value,
            },
          );
          expect(text.split('\n')).toHaveLength(rows.length + 2);
          for (const line of text.split('\n')) {
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });
});

describe('formatTable at any width', () => {
  const grapheme = fc.constantFrom(
    ...[
      'a',
      'Z',
      '0',
      ' ',
      '-',
      'é',
      'e\u0301',
      'ﷺ',
      'ש',
      'ك\u064e',
      'ที่',
      'क्षि',
      '각',
      '財',
      '旺',
      'Ａ',
    ],
    ...['🐕', '👨‍👩‍👧', '👩🏽‍🚀', '👍🏿', '🏳️‍🌈', '🇩🇪', '🇫🇷', '1️⃣', '❤️', '❤', '☎︎', '🫱🏻‍🫲🏿', '…'],
    ...['o\u0302\u0303\u0304', '\u{1d11e}', '\u{20000}', '\u001b', '\u200d', '\u{e0041}', '\ud800'],
  );
  const cell = fc
    .array(grapheme, { maxLength: 40 })
    .map((parts) => toSafeText(`x${parts.join('')}`));
  const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 });
  const names = ['id', 'name', 'note', 'status'];

  /** The lines of a table whose second and third column give way, and the cells as they were drawn. */
  function draw(pairs: readonly (readonly [SafeText, SafeText])[], width: number) {
    const drawn: SafeText[][] = [[], []];
    const text = formatTable(
      columns(names, ['name', 'note']),
      pairs.map(([name, note]) => [toSafeText('1'), name, note, toSafeText('sold')]),
      {
        hasHeader: true,
        width,
        measure: graphemes,
        styleHeading: (name) => name,
        styleCell: (value, column) => {
          drawn[column - 1]?.push(value);
          return value;
        },
      },
    );
    return { lines: text.trimEnd().split('\n'), drawn };
  }

  test('from 40 columns on all columns line up, and no cut goes through a grapheme', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 40, max: 200 }), (pairs, width) => {
        const { lines: drawnLines, drawn } = draw(pairs, width);
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

  test('under 40 columns there is a block for each record, and nothing is cut', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 20, max: 39 }), (pairs, width) => {
        const { lines: drawnLines } = draw(pairs, width);
        expect(drawnLines).toEqual(
          pairs
            .flatMap(([name, note]) => [
              'id:     1',
              `name:   ${name}`,
              `note:   ${note}`,
              'status: sold',
              '',
            ])
            .slice(0, -1),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('formatTable of very much', () => {
  test('a name of a megabyte widens its own row, and holds up none of 5,000 others', () => {
    const others = Array.from({ length: 5_000 }, (_, index) => [
      `${index}`,
      `pet ${index}`,
      'sold',
    ]);
    const begun = performance.now();
    const rows = table(['id', 'name', 'status'], [['x', 'n'.repeat(1_000_000), 'sold'], ...others])
      .trimEnd()
      .split('\n');
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(rows).toHaveLength(5_002);
    expect(rows[1]).toHaveLength('x     '.length + 1_000_000 + '  sold'.length);
    expect(rows.slice(2).every((row) => row.length <= 6 + 500 + '  sold'.length)).toBe(true);
    expect(rows.at(-1)).toBe(`4999  ${'pet 4999'.padEnd(500)}  sold`);
  });

  test('100,000 rows are a matter of seconds', () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => [`${index}`, 'Rex', 'sold']);
    const begun = performance.now();
    const text = table(['id', 'name', 'status'], rows);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(text.endsWith('\n99999  Rex   sold\n')).toBe(true);
  });
});

describe('blocks', () => {
  test('puts an empty line between records and cuts nothing', () => {
    const long = 'n'.repeat(300);
    expect(
      formatRecordBlocks(
        columns(['id', '名前']),
        [
          [toSafeText('1'), toSafeText(long)],
          [toSafeText('2'), toSafeText('Rex')],
        ],
        {
          measure: graphemes,
          styleHeading: (name) => name.toUpperCase(),
          styleCell: (value, column) => `${column}${value}`,
        },
      ),
    ).toBe(lines('ID:   01', `名前: 1${long}`, '', 'ID:   02', '名前: 1Rex'));
  });

  test('is empty without records', () => {
    expect(
      formatRecordBlocks(columns(['id']), [], {
        measure: graphemes,
        styleHeading: (name) => name,
        styleCell: (value) => value,
      }),
    ).toBe('');
  });
});

describe('cut', () => {
  test.each([
    ['Rex', 3, 'Rex'],
    ['Biscuit', 4, 'Bis…'],
    ['Biscuit', 1, '…'],
    ['旺財旺財', 5, '旺財…'],
    ['旺財旺財', 4, '旺…'],
    ['a👨‍👩‍👧b', 3, 'a…'],
    ['👨‍👩‍👧bc', 3, '👨‍👩‍👧…'],
    ['Zoe\u0308 Zoe\u0308', 4, 'Zoe\u0308…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
  ])('%j to %d columns is %j', (text, width, kept) => {
    expect(cut(toSafeText(text), width)).toBe(kept);
  });

  test.each([
    ['combining marks', `e${'\u0301'.repeat(40)}`],
    ['combining marks beyond 16 bits', `e${'\u{1d167}'.repeat(20)}`],
  ])('leaves a letter with very many %s out rather than cut it in two', (_, letter) => {
    for (let width = 2; width <= 12; width += 1) {
      const kept = cut(toSafeText(letter.repeat(12) + 'x'.repeat(20)), width);
      expect(kept.isWellFormed()).toBe(true);
      expect(letter.repeat(12).startsWith(kept.slice(0, -1))).toBe(true);
      expect(kept.slice(0, -1).length % letter.length).toBe(0);
    }
  });

  test('never exceeds the width and never splits a grapheme', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.string({
        unit: fc.constantFrom(
          '👩',
          '\u200d',
          '🚀',
          '🏽',
          '❤',
          '\ufe0f',
          '🇩',
          '1',
          '\u20e3',
          '財',
          '\u0301',
          'a',
        ),
        maxLength: 30,
      }),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (raw, width) => {
        const whole = toSafeText(raw);
        const kept = cut(whole, width);
        expect(stringWidth(kept)).toBeLessThanOrEqual(width);
        if (kept === whole) return;
        expect(kept.endsWith('…')).toBe(true);
        const graphemes = graphemesOf(whole);
        const count = graphemesOf(kept.slice(0, -1)).length;
        expect(kept.slice(0, -1)).toBe(graphemes.slice(0, count).join(''));
      }),
      { numRuns: 2_000 },
    );
  });
});

function table(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  {
    header = true,
    width,
    canShrink = [],
  }: { header?: boolean; width?: number; canShrink?: readonly string[] } = {},
): string {
  return formatTable(
    columns(names, canShrink),
    rows.map((row) => row.map((text) => toSafeText(text))),
    {
      hasHeader: header,
      width,
      measure: graphemes,
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

/** The text itself, or as many of its graphemes as went, and a mark. */
function expectWhole(shown: SafeText, text: SafeText): void {
  if (shown === text) return;
  expect(shown.endsWith('…')).toBe(true);
  const kept = shown.slice(0, -1);
  expect(kept).toBe(graphemesOf(text).slice(0, graphemesOf(kept).length).join(''));
}
