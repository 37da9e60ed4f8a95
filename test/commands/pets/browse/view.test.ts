import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import { keyHelp } from '../../../../src/commands/pets/browse/keys.js';
import { type BrowseState, initialize } from '../../../../src/commands/pets/browse/model.js';
import { markMatches } from '../../../../src/commands/pets/browse/render-pets.js';
import { renderScreen, type ScreenOptions } from '../../../../src/commands/pets/browse/view.js';
import { displayWidth } from '../../../../src/format/display-width.js';
import { splitFilter } from '../../../../src/format/fold-text.js';
import { toSafeText } from '../../../../src/format/safe-text.js';
import { plainStyle } from '../../../support/test-terminal.js';
import { expectSafe, hostileText } from '../../../support/text-samples.js';

const now = Date.UTC(2026, 10, 21, 12);
const options: ScreenOptions = {
  style: plainStyle,
  sanitize: toSafeText,
  label: 'sandbox',
  now,
};
const quota = { limit: 60, remaining: 57, resetAt: now + 42_000 };

const pets: readonly PetRecord[] = [
  { id: 1, name: 'Ada', categoryId: 7, status: 'available' },
  { id: 2, name: '長い名前の猫', categoryId: 7, status: 'sold', tags: ['a', { b: 1 }] },
  { id: 3, name: 'Cleo' },
];

function stateOf(change: Partial<BrowseState> = {}): BrowseState {
  return { ...initialize(quota), loading: undefined, hasMore: 'no', pets, ...change };
}

function draw(change: Partial<BrowseState>, columns: number, rows: number, given = options): readonly string[] {
  return renderScreen(stateOf(change), { columns, rows }, given).lines;
}

test.each([
  ['a screen of the usual size', { columns: 80, rows: 12 }, {}],
  ['a narrow one', { columns: 40, rows: 10 }, { selectedId: '2' }],
  ['a filter', { columns: 60, rows: 10 }, { search: 'a' }],
  ['the details of a pet', { columns: 40, rows: 12 }, { view: 'details', selectedId: '2' }],
  ['the help', { columns: 80, rows: 22 }, { view: 'help' }],
  ['the help on a narrow screen', { columns: 40, rows: 14 }, { view: 'help', scrollOffset: 5 }],
  ['nothing loaded yet', { columns: 80, rows: 8 }, { pets: [], hasMore: undefined, loading: 'page', quota: {} }],
  ['a wait', { columns: 60, rows: 8 }, { wait: { until: now + 32_000, reason: 'for the quota' } }],
  ['a wide screen', { columns: 200, rows: 14 }, { selectedId: '2' }],
  ['an empty service', { columns: 60, rows: 10 }, { pets: [] }],
  ['a filter without a match', { columns: 60, rows: 10 }, { search: 'xyz' }],
  ['an empty service that is read-only', { columns: 60, rows: 10 }, { pets: [], isReadOnly: true }],
  ['a status without a pet', { columns: 40, rows: 10 }, { status: 'pending', pets: [] }],
  ['pages that load', { columns: 80, rows: 8 }, { loading: 'all', hasMore: 'yes' }],
  ['another order', { columns: 80, rows: 8 }, { sort: 'name' }],
  ['an error', { columns: 60, rows: 8 }, { message: { text: 'no answer', severity: 'error' } }],
] as const)('draws %s', (_, size, change) => {
  const { columns, rows } = size;
  expect(`\n${draw(change as Partial<BrowseState>, columns, rows).join('\n')}\n`).toMatchSnapshot();
});

test('the filter shows its end', () => {
  expect(draw({ search: `${'x'.repeat(15)}ada` }, 20, 12)[1]).toBe('Filter: …xxxxada▏');
});

test('a small screen says how many lines of the details are below, and scrolls to them', () => {
  const details = { view: 'details', selectedId: '2' } as const;
  expect(draw(details, 30, 9).slice(-3, -1)).toEqual(['1 more line: press PgDn · 2 …', 'Esc close details · ? help']);
  const { maxScrollOffset: scrollOffset } = renderScreen(stateOf(details), { columns: 30, rows: 9 }, options).viewport;
  expect(draw({ ...details, scrollOffset }, 30, 9).at(-3)).toBe('2 of 3 pets');
});

test('a message that does not fit the width has more lines, unless the screen is too short', () => {
  const text = 'half of the remaining quota is used; retry in 40s (press End to load more)';
  const message = { text, severity: 'error' } as const;
  expect(draw({ message }, 40, 12).slice(-4)).toEqual([
    '1 of 3 pets',
    '✗ half of the remaining quota is used;',
    'retry in 40s (press End to load more)',
    'sandbox · 57 left',
  ]);
  expect(draw({ message }, 40, 8).at(-2)).toBe('✗ half of the remaining quota is used;');
});

test('a name of 54 columns is complete on a wide screen', () => {
  const name = 'Princess Consuela Banana Hammock the Third of Many 166';
  const [, , , line = ''] = draw({ pets: [{ id: 95, name, categoryId: 3 }] }, 200, 12);
  expect(line.split('│')[0]).toContain(`  ${name}  `);
});

test('a narrow list leaves out statuses before it cuts an id', () => {
  const id = '9223372036854775807';
  const [, , , line] = draw({ pets: [{ id, name: 'Princess Consuela', status: 'available' }] }, 35, 12);
  expect(line).toBe(`❯ ${id}  Princess C…`);
});

test('the reason of an empty list fits a small screen', () => {
  const lines = draw({ status: 'pending', pets: [] }, 40, 8);
  expect(lines.slice(2, 5).join(' ').replaceAll(/ +/g, ' ')).toBe(
    ' No pet is pending. Press Tab for another status, or Ctrl-N to add a pet.',
  );
});

test.each([
  ['error', '✗ no answer; retry in 9s', '✗ no answer'],
  ['warning', '! no answer; retry in 9s', '! no answer'],
  [undefined, 'no answer; retry in 9s', 'no answer'],
] as const)('a message of the severity %s has a mark, and counts down', (severity, early, late) => {
  const message = { text: 'no answer', retryAt: now + 9_000, ...(severity && { severity }) };
  const lines = [now, now + 9_000].map((time) => draw({ message }, 80, 12, { ...options, now: time }).at(-2));
  expect(lines).toEqual([early, late]);
});

test('details wrap at words, and show a line break as the list does', () => {
  const name = 'Sir Barksalot of the\r\nNorthern Hills and the Valley Beyond';
  const shown = [{ id: 1, name, categoryId: 7 }];
  expect(draw({ view: 'details', pets: shown }, 44, 30).slice(2, 6)).toEqual([
    'id          1',
    'name        Sir Barksalot of',
    '            the\\u000d\\u000aNorthern Hills',
    '            and the Valley Beyond',
  ]);
  expect(draw({ pets: shown }, 79, 30)[3]).toContain('the\\u000d\\u000aNor');
});

test.each([
  ['Zoe', '', 'Zoe'],
  ['Zoe', 'x', 'Zoe'],
  ['Banana', 'AN', 'B<anan>a'],
  ['Zoe 12', 'oe 1', 'Z<oe> <1>2'],
  ['Élan', 'el', '<Él>an'],
  ['E\u0301lan', 'e', '<E\u0301>lan'],
  ['İzmir', 'iz', '<İz>mir'],
  ['Łódź', 'lodz', '<Łódź>'],
  ['Ispanak ıspanak', 'isp', '<Isp>anak <ısp>anak'],
  ['οδός', 'οδοσ', '<οδός>'],
  ['a🦊b', '🦊', 'a<🦊>b'],
])('in %j, the filter %j finds %j', (text, search, marked) => {
  expect(markMatches(text, splitFilter(search), (match) => `<${match}>`).replaceAll('><', '')).toBe(marked);
});

test('what a filter found is marked in ids and names only, and the columns stay in place', () => {
  const found = [11, 12, 13].map((id) => ({ id, name: `Name ${id}`, categoryId: 11 }));
  const style = { ...options.style, match: (text: string) => `\u001b[4m${text}\u001b[24m` };
  const drawRows = (given: ScreenOptions) => draw({ search: '1 name', pets: found }, 60, 12, given).slice(3, 6);
  const marked = drawRows({ ...options, style });
  expect(marked.map(stripVTControlCharacters)).toEqual(drawRows(options));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
  const matches = marked.map((line) => [...line.matchAll(/\u001b\[4m(.)/g)].map(([, match]) => match).join(''));
  expect(matches).toEqual(['11Name11', '1Name1', '1Name1']);
});

describe('any content', () => {
  const pet = fc.record({
    id: fc.oneof(fc.nat(), hostileText),
    name: fc.oneof(hostileText, fc.string({ unit: 'grapheme' })),
    status: fc.oneof(fc.constantFrom('available', 'sold'), hostileText),
    more: fc.oneof(hostileText, fc.constant(undefined)),
  });
  const state = fc.record({
    view: fc.constantFrom('list', 'details', 'help'),
    search: fc.oneof(fc.constant(undefined), fc.string({ unit: 'grapheme', maxLength: 60 })),
    selectedId: fc.oneof(fc.constant('1'), hostileText),
    scrollOffset: fc.nat({ max: 50 }),
  });
  const size = fc.record({
    columns: fc.integer({ min: 20, max: 200 }),
    rows: fc.integer({ min: 2, max: 60 }),
  });

  test('fits the screen, is escaped, and leaves room for the status line', () => {
    fc.assert(
      fc.property(fc.array(pet, { maxLength: 6 }), state, size, (given, change, { columns, rows }) => {
        const shown = { ...(change as Partial<BrowseState>), pets: given, hasMore: 'yes' } as const;
        const lines = draw(shown, columns, rows);
        expect(lines.length).toBeLessThanOrEqual(rows);
        if (rows > 6) expect(lines).toHaveLength(rows);
        for (const line of lines) {
          expect(displayWidth(line), JSON.stringify(line)).toBeLessThan(columns);
          expectSafe(line, 'a line');
        }
        if (columns >= 40) expect(lines.at(-1)).toMatch(/sandbox.*57.*left/);
      }),
      { numRuns: 500 },
    );
  });
});

test('the whole help fits the usual size of a terminal, and can be scrolled into view on a small one', () => {
  expect(draw({ view: 'help' }, 80, 24).join('\n')).not.toContain('more line');
  const seen = new Set<string>();
  for (let scrollOffset = 0; scrollOffset < 60; scrollOffset += 1) {
    for (const line of draw({ view: 'help', scrollOffset }, 40, 9)) seen.add(line.trim());
  }
  const words = [...seen].join(' ');
  for (const [key, meaning] of keyHelp) {
    for (const word of `${key} ${meaning}`.split(' ')) expect(words).toContain(word);
  }
});

test.each([
  [80, 'sandbox', 'sandbox · 57 of 60 requests left · resets in 42s'],
  [40, 'sandbox', 'sandbox · 57 left'],
  [30, 'a-profile-with-a-name-that-is-long', 'a-profile-with-a-n… · 57 left'],
])('the status line fits %i columns with the profile %s', (columns, label, line) => {
  expect(draw({}, columns, 24, { ...options, label }).at(-1)).toBe(line);
});

test('the selected pet is always visible', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ id: index, name: `Pet ${index}` }));
  for (const selected of [0, 5, 100, 198, 199]) {
    const lines = draw({ pets: many, selectedId: `${selected}` }, 60, 12);
    expect(lines.filter((line) => line.startsWith(`❯ ${String(selected).padStart(4)} `))).toHaveLength(1);
    expect(lines.filter((line) => /Pet \d/.test(line))).toHaveLength(6);
  }
});
