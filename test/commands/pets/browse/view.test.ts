import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import { keyHelp } from '../../../../src/commands/pets/browse/keys.js';
import { initialize } from '../../../../src/commands/pets/browse/model.js';
import type { ScreenOptions } from '../../../../src/commands/pets/browse/render-pets.js';
import type { BrowseState } from '../../../../src/commands/pets/browse/state.js';
import { getViewport, renderScreen } from '../../../../src/commands/pets/browse/view.js';
import { displayWidth } from '../../../../src/format/display-width.js';
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
  return { ...initialize(quota)[0], loading: undefined, loaded: 'complete', pets, ...change };
}

test.each([
  ['a screen of the usual size', { columns: 80, rows: 12 }, {}],
  ['a narrow one', { columns: 40, rows: 10 }, { selected: 1 }],
  ['a filter', { columns: 60, rows: 10 }, { search: 'a' }],
  ['the details of a pet', { columns: 40, rows: 12 }, { view: 'details', selected: 1 }],
  ['the help', { columns: 80, rows: 22 }, { view: 'help' }],
  ['the help on a narrow screen', { columns: 40, rows: 14 }, { view: 'help', scrollOffset: 5 }],
  ['nothing loaded yet', { columns: 80, rows: 8 }, { pets: [], loaded: 'none', loading: 'page', quota: {} }],
  ['a wait', { columns: 60, rows: 8 }, { wait: { until: now + 32_000, reason: 'for the quota' } }],
  ['a wide screen', { columns: 200, rows: 14 }, { selected: 1 }],
  ['an empty service', { columns: 60, rows: 10 }, { pets: [] }],
  ['a filter without a match', { columns: 60, rows: 10 }, { search: 'xyz' }],
  ['an empty service that is read-only', { columns: 60, rows: 10 }, { pets: [], isReadOnly: true }],
  ['a status without a pet', { columns: 40, rows: 10 }, { status: 'pending', pets: [] }],
  ['pages that load', { columns: 80, rows: 8 }, { loading: 'all', loaded: 'partial' }],
  ['another order', { columns: 80, rows: 8 }, { sort: 'name' }],
  ['an error', { columns: 60, rows: 8 }, { message: { text: 'no answer', severity: 'error' } }],
] as const)('draws %s', (_, size, change) => {
  expect(`\n${renderScreen(stateOf(change as Partial<BrowseState>), size, options).join('\n')}\n`).toMatchSnapshot();
});

test('the filter shows its end', () => {
  const state = stateOf({ search: `${'x'.repeat(15)}ada` });
  expect(renderScreen(state, { columns: 20, rows: 12 }, options)[1]).toBe('Filter: …xxxxada▏');
});

test('a small screen says how many lines of the details are below, and how to close them', () => {
  const state = stateOf({ view: 'details', selected: 1 });
  const small = renderScreen(state, { columns: 30, rows: 9 }, options);
  expect(small.slice(-3, -1)).toEqual(['1 more line: press PgDn · 2 …', 'Esc close details · ? help']);
  const { maxScrollOffset } = getViewport(state, { columns: 30, rows: 9 }, options);
  const end = renderScreen({ ...state, scrollOffset: maxScrollOffset }, { columns: 30, rows: 9 }, options);
  expect(end.slice(-3, -1)).toEqual(['2 of 3 pets', 'Esc close details · ? help']);
});

test('a message that does not fit the width has more lines, unless the screen is too short', () => {
  const text = 'half of the remaining quota is used; retry in 40s (press End to load more)';
  const state = stateOf({ message: { text, severity: 'error' } });
  expect(renderScreen(state, { columns: 40, rows: 12 }, options).slice(-4)).toEqual([
    '1 of 3 pets',
    '✗ half of the remaining quota is used;',
    'retry in 40s (press End to load more)',
    'sandbox · 57 left',
  ]);
  const short = renderScreen(state, { columns: 40, rows: 8 }, options);
  expect(short.at(-2)).toBe('✗ half of the remaining quota is used;…');
});

test('a name of 54 columns is complete on a wide screen', () => {
  const name = 'Princess Consuela Banana Hammock the Third of Many 166';
  const state = stateOf({ pets: [{ id: 95, name, categoryId: 3 }] });
  const [, , , line = ''] = renderScreen(state, { columns: 200, rows: 12 }, options);
  expect(line.split('│')[0]).toContain(`  ${name}  `);
});

test('the reason of an empty list fits a small screen', () => {
  const lines = renderScreen(stateOf({ status: 'pending', pets: [] }), { columns: 40, rows: 8 }, options);
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
  const lines = [now, now + 9_000].map((time) =>
    renderScreen(stateOf({ message }), { columns: 80, rows: 12 }, { ...options, now: time }).at(-2),
  );
  expect(lines).toEqual([early, late]);
});

test('details wrap at words, and show a line break as the list does', () => {
  const name = 'Sir Barksalot of the\r\nNorthern Hills and the Valley Beyond';
  const state = stateOf({ view: 'details', pets: [{ id: 1, name, categoryId: 7 }] });
  const lines = renderScreen(state, { columns: 44, rows: 30 }, options);
  expect(lines.slice(2, 6)).toEqual([
    'id          1',
    'name        Sir Barksalot of',
    '            the\\u000d\\u000aNorthern Hills',
    '            and the Valley Beyond',
  ]);
  const list = renderScreen({ ...state, view: 'list' }, { columns: 79, rows: 30 }, options);
  expect(list[3]).toContain('the\\u000d\\u000aNor');
});

test('what a filter found is marked in ids and names only, and the columns stay in place', () => {
  const found = [11, 12, 13].map((id) => ({ id, name: `Name ${id}`, categoryId: 11 }));
  const [start, end] = ['\u001b[4m', '\u001b[24m'];
  const style = { ...options.style, match: (text: string) => `${start}${text}${end}` };
  const draw = (search: string, given: ScreenOptions) =>
    renderScreen(stateOf({ search, pets: found }), { columns: 60, rows: 12 }, given).slice(2, 6);
  const lines = draw('1 name', { ...options, style });
  expect(lines.map(stripVTControlCharacters)).toEqual(draw('1 name', options));
  const marked = lines.map((line) =>
    line
      .split(start)
      .slice(1)
      .map((part) => part.split(end)[0]),
  );
  expect(marked).toEqual([[], ['11', 'Name', '11'], ['1', 'Name', '1'], ['1', 'Name', '1']]);
});

test('columns after a name whose width terminals disagree on have a fixed position', () => {
  const lines = renderScreen(stateOf(), { columns: 60, rows: 10 }, options);
  expect(lines[3]).not.toContain('\u001b');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches an escape sequence
  expect(lines[4]).toMatch(/^ +2 {2}長い名前の猫 +\u001b\[\d+G *7 /);
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
    search: fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 60 })),
    selected: fc.nat({ max: 3 }),
    scrollOffset: fc.nat({ max: 50 }),
  });
  const size = fc.record({
    columns: fc.integer({ min: 20, max: 200 }),
    rows: fc.integer({ min: 2, max: 60 }),
  });

  test('fits the screen, is escaped, and leaves room for the status line', () => {
    fc.assert(
      fc.property(fc.array(pet, { maxLength: 6 }), state, size, (given, change, { columns, rows }) => {
        const shown = stateOf({ ...(change as Partial<BrowseState>), pets: given, loaded: 'partial' });
        const lines = renderScreen(shown, { columns, rows }, options);
        expect(lines.length).toBeLessThanOrEqual(rows);
        if (rows > 6) expect(lines).toHaveLength(rows);
        for (const line of lines) {
          expect(displayWidth(line), JSON.stringify(line)).toBeLessThan(columns);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the cursor position
          expectSafe(line.replace(/\u001b\[\d+G/g, ''), 'a line');
        }
        if (columns >= 40) expect(lines.at(-1)).toMatch(/sandbox.*57.*left/);
      }),
      { numRuns: 500 },
    );
  });
});

test('the whole help fits the usual size of a terminal', () => {
  const lines = renderScreen(stateOf({ view: 'help' }), { columns: 80, rows: 24 }, options);
  expect(lines.join('\n')).not.toContain('more line');
});

test('the whole help can be scrolled into view on a small screen', () => {
  const seen = new Set<string>();
  for (let scrollOffset = 0; scrollOffset < 60; scrollOffset += 1) {
    const state = stateOf({ view: 'help', scrollOffset });
    for (const line of renderScreen(state, { columns: 40, rows: 9 }, options)) seen.add(line.trim());
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
  const lines = renderScreen(stateOf(), { columns, rows: 24 }, { ...options, label });
  expect(lines.at(-1)).toBe(line);
});

test('the selected pet is always visible', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ id: index, name: `Pet ${index}` }));
  for (const selected of [0, 5, 100, 198, 199]) {
    const size = { columns: 60, rows: 12 };
    const lines = renderScreen(stateOf({ pets: many, selected }), size, options);
    expect(lines.filter((line) => line.startsWith(`❯ ${String(selected).padStart(4)} `))).toHaveLength(1);
    expect(lines.filter((line) => /Pet \d/.test(line))).toHaveLength(getViewport(stateOf(), size, options).petRows);
  }
});
