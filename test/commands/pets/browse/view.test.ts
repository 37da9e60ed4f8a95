import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PetRecord } from '../../../../src/api/pet.js';
import { keyHelp } from '../../../../src/commands/pets/browse/keys.js';
import { initialize } from '../../../../src/commands/pets/browse/model.js';
import type { PageCache } from '../../../../src/commands/pets/browse/page-cache.js';
import type { ScreenOptions } from '../../../../src/commands/pets/browse/render-pets.js';
import type { BrowseState } from '../../../../src/commands/pets/browse/state.js';
import { getViewport, renderScreen } from '../../../../src/commands/pets/browse/view.js';
import { displayWidth } from '../../../../src/format/display-width.js';
import { toSafeText } from '../../../../src/format/safe-text.js';
import { expectSafe, hostileText } from '../../../support/hostile-text.js';
import { plainStyle } from '../../../support/plain-style.js';

const now = Date.UTC(2026, 10, 21, 12);
const options: ScreenOptions = {
  style: plainStyle,
  sanitize: toSafeText,
  moveToColumn: () => '',
  label: 'sandbox',
  now,
};
const quota = { limit: 60, remaining: 57, resetAt: now + 42_000 };

const pets: readonly PetRecord[] = [
  { id: 1, name: 'Ada', categoryId: 7, status: 'available' },
  { id: 2, name: '長い名前の猫', categoryId: 7, status: 'sold', tags: ['a', { b: 1 }] },
  { id: 3, name: 'Cleo' },
];

function cacheOf(given: readonly PetRecord[], at = now, change: Partial<PageCache> = {}): PageCache {
  const page = { pets: given, at, request: 'GET /v1/pets?limit=100' };
  return { pages: [page], stale: [], created: [], completeness: 'complete', ...change };
}

function stateOf(change: Partial<BrowseState> = {}): BrowseState {
  const cache = cacheOf(pets, now - 3_000);
  return { ...initialize(quota)[0], loading: [], caches: { all: cache }, ...change };
}

const addWaits = 'Adding Q2: waiting 52s for the quota of local; Esc cancels';

function q2(isSent: boolean) {
  return { name: 'Q2', isSent };
}

test.each([
  ['a screen of the usual size', { columns: 80, rows: 12 }, {}],
  ['a narrow one', { columns: 40, rows: 10 }, { selected: 1 }],
  ['a filter', { columns: 60, rows: 10 }, { search: 'a' }],
  ['the details of a pet', { columns: 40, rows: 12 }, { view: 'details', selected: 1 }],
  ['the help', { columns: 80, rows: 22 }, { view: 'help' }],
  ['the help on a narrow screen', { columns: 40, rows: 14 }, { view: 'help', scrollOffset: 5 }],
  ['nothing loaded yet', { columns: 80, rows: 8 }, { caches: {}, loading: ['all'], quota: {} }],
  ['a wait', { columns: 60, rows: 8 }, { waits: [{ until: now + 32_000, reason: 'for the quota' }] }],
  ['a wide screen', { columns: 200, rows: 14 }, { selected: 1 }],
  ['an empty service', { columns: 60, rows: 10 }, { caches: { all: cacheOf([]) } }],
  ['a filter without a match', { columns: 60, rows: 10 }, { search: 'xyz' }],
  ['an empty service that is read-only', { columns: 60, rows: 10 }, { caches: { all: cacheOf([]) }, isReadOnly: true }],
  ['a status without a pet', { columns: 40, rows: 10 }, { status: 'pending' }],
  [
    'pages that load',
    { columns: 80, rows: 8 },
    { loading: ['all'], caches: { all: cacheOf(pets, now, { completeness: 'partial' }) } },
  ],
  ['another order', { columns: 80, rows: 8 }, { sort: 'name' }],
  ['an error', { columns: 60, rows: 8 }, { message: { text: 'no answer', severity: 'error' } }],
] as const)('draws %s', (_, size, change) => {
  expect(`\n${renderScreen(stateOf(change as Partial<BrowseState>), size, options).join('\n')}\n`).toMatchSnapshot();
});

test.each([
  [{ search: 'ada', afterCursor: 1 }, 'Filter: ad▏a'],
  [{ search: 'ada'.repeat(5), afterCursor: 14 }, 'Filter: a▏daadaada…'],
  [{ search: `${'x'.repeat(15)}ada`, afterCursor: 2 }, 'Filter: …xxxxxxa▏da'],
])('the filter shows the cursor: %j', (change, shown) => {
  expect(renderScreen(stateOf(change), { columns: 20, rows: 12 }, options)[1]).toBe(shown);
});

test.each([
  [now + 1, 'Copied 1'],
  [now, '? help'],
])('a message until %d gives way to the keys', (until, shown) => {
  const state = stateOf({ message: { text: 'Copied 1', until } });
  expect(renderScreen(state, { columns: 80, rows: 12 }, options).at(-2)).toContain(shown);
});

test('a small screen says how many lines of the details are below, and how to close them', () => {
  const state = stateOf({ view: 'details' });
  const small = renderScreen(state, { columns: 40, rows: 12 }, options);
  expect(small.slice(-3, -1)).toEqual(['7 more lines: press PgDn · 1 of 3', 'Esc close details · ? help']);
  const { maxScrollOffset } = getViewport(state, { columns: 40, rows: 12 }, options);
  const end = renderScreen({ ...state, scrollOffset: maxScrollOffset }, { columns: 40, rows: 12 }, options);
  expect(end.slice(-4, -1)).toEqual(['}', '1 of 3', 'Esc close details · ? help']);
  const large = renderScreen(state, { columns: 80, rows: 30 }, options);
  expect(large.join('\n')).not.toMatch(/more line|Enter/);
  expect(large[2]).toBe('Ada');
});

test('a message that does not fit the width has more lines, unless the screen is too short', () => {
  const text = 'half of the remaining quota is used; retry in 40s (press End to load more)';
  const state = stateOf({ message: { text, severity: 'error' } });
  expect(renderScreen(state, { columns: 40, rows: 12 }, options).slice(-4)).toEqual([
    '1 of 3',
    '✗ half of the remaining quota is used;',
    'retry in 40s (press End to load more)',
    'sandbox · 57/60 left · loaded 3s ago',
  ]);
  const short = renderScreen(state, { columns: 40, rows: 8 }, options);
  expect(short.at(-2)).toBe('✗ half of the remaining quota is used;…');
});

test('a name of 54 columns is complete on a wide screen', () => {
  const name = 'Princess Consuela Banana Hammock the Third of Many 166';
  const state = stateOf({ caches: { all: cacheOf([{ id: 95, name, categoryId: 3 }]) } });
  const [, , , line = ''] = renderScreen(state, { columns: 200, rows: 12 }, options);
  expect(line.split('│')[0]).toContain(`  ${name}  `);
});

test('a wait does not hide a message, and the message takes the only line of a short screen', () => {
  const waits = [{ until: now + 32_000, reason: 'for the quota of local' }];
  const state = stateOf({ waits, message: { text: 'The add was canceled.', until: now + 5_000 } });
  const shown = renderScreen(state, { columns: 60, rows: 12 }, options);
  expect(shown.slice(-3, -1)).toEqual(['The add was canceled.', 'Waiting 32s for the quota of local; keys still work']);
  expect(renderScreen(state, { columns: 60, rows: 8 }, options).at(-2)).toBe('The add was canceled.');
});

test('the reason of an empty list fits a small screen', () => {
  const lines = renderScreen(stateOf({ status: 'pending' }), { columns: 40, rows: 8 }, options);
  expect(lines.slice(2, 5).join(' ').replaceAll(/ +/g, ' ')).toBe(
    ' No pet is pending. Press Tab for another status, or Ctrl-N to add a pet.',
  );
});

test('the reason of an empty list wraps between words that take two columns', () => {
  const state = stateOf({ search: ['日本語日本語', '日本語日本語', '日本語日本語', '日本語'].join(' ') });
  expect(renderScreen(state, { columns: 40, rows: 14 }, options).slice(3, 7)).toEqual([
    '  No pet matches "日本語日本語',
    '  日本語日本語 日本語日本語 日本語".',
    '  Press Esc to clear the filter.',
    '',
  ]);
});

test.each([
  ['error', '✗'],
  ['warning', '!'],
  [undefined, ''],
] as const)('a message that counts down has the current time and the mark of its severity %s', (severity, mark) => {
  const text = (time: number) => `retry in ${now + 9_000 - time} ms`;
  const state = stateOf({ message: severity ? { text, severity } : { text } });
  const lines = [now, now + 4_000].map((time) =>
    renderScreen(state, { columns: 80, rows: 12 }, { ...options, now: time }).at(-2),
  );
  expect(lines).toEqual([`${mark} retry in 9000 ms`.trim(), `${mark} retry in 5000 ms`.trim()]);
});

describe('while a page waits in the background,', () => {
  const background = {
    until: now + 60_000,
    reason: 'to leave half of the quota',
    background: { status: 'all', canLoadMore: true },
  } as const;
  const untilReset = { ...background, background: { status: 'all', canLoadMore: false } } as const;
  const forQuota = { until: now + 52_000, reason: 'for the quota of local' };
  const canceled = { text: 'Canceled. Q2 was not added. Ctrl-N edits and resends.' };

  test.each<[string, Partial<BrowseState>, string]>([
    ['an add that waits shows its own reason', { waits: [background, forQuota], adds: [q2(false)] }, addWaits],
    ['an add about to be sent shows no wait', { waits: [background], adds: [q2(false)] }, 'Adding Q2… Ctrl-C quits'],
    ['an add that was sent is shown', { waits: [background], adds: [q2(true)] }, 'Adding Q2… Ctrl-C quits'],
    ['a canceled add is reported', { waits: [background], message: canceled }, canceled.text],
    ['the keys are shown', { waits: [background] }, 'Waiting 1m to leave half of the quota; Esc stops, End loads more'],
    [
      'End is not shown if it loads nothing',
      { waits: [untilReset] },
      'Waiting 1m to leave half of the quota; Esc stops',
    ],
    [
      'End is not shown for another status',
      { waits: [background], status: 'sold' },
      'Waiting 1m to leave half of the quota; Esc stops',
    ],
  ])('%s', (_, change, shown) => {
    const state = stateOf({ loading: ['all'], search: 'a', ...change });
    expect(renderScreen(state, { columns: 80, rows: 12 }, options).at(-2)).toBe(shown);
  });
});

test('details wrap at words, and show a line break as the list does', () => {
  const name = 'Sir Barksalot of the\r\nNorthern Hills and the Valley Beyond';
  const pet = { id: 1, name, categoryId: 7 };
  const state = stateOf({ view: 'details', caches: { all: cacheOf([pet]) } });
  const lines = renderScreen(state, { columns: 44, rows: 30 }, options);
  expect(lines.slice(2, 9)).toEqual([
    'Sir Barksalot of the\\u000d\\u000aNorthern',
    'Hills and the Valley Beyond',
    '',
    'id          1',
    'name        Sir Barksalot of',
    '            the\\u000d\\u000aNorthern Hills',
    '            and the Valley Beyond',
  ]);
  expect(lines).toContain('  "name": "Sir Barksalot of');
  expect(lines).toContain('    the\\r\\nNorthern Hills and the Valley');
  const list = renderScreen({ ...state, view: 'list' }, { columns: 79, rows: 30 }, options);
  expect(list[3]).toContain('the\\u000d\\u000aNor');
});

test('a request that does not fit beside its label has the line below', () => {
  const lines = renderScreen(stateOf(), { columns: 80, rows: 24 }, options);
  const index = lines.findIndex((line) => line.endsWith('│ Request'));
  expect(lines[index + 1]).toMatch(/│ GET \/v1\/pets\?limit=100$/);
  expect(lines[index + 2]).toMatch(/│ Fetched +3s ago$/);
});

test('what a filter found is marked in ids and names only, and the columns stay in place', () => {
  const found = [11, 12, 13].map((id) => ({ id, name: `Name ${id}`, categoryId: 11 }));
  const caches = { all: cacheOf(found) };
  const [start, end] = ['\u001b[4m', '\u001b[24m'];
  const style = { ...options.style, match: (text: string) => `${start}${text}${end}` };
  const draw = (search: string, given: ScreenOptions) =>
    renderScreen(stateOf({ search, caches }), { columns: 60, rows: 12 }, given).slice(2, 6);
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
  const moveToColumn = (column: number) => `<${column}>`;
  const lines = renderScreen(stateOf(), { columns: 60, rows: 10 }, { ...options, moveToColumn });
  const [ada, cat] = [lines[3], lines[4]].map((line = '') => line.replace(/\s*7 .*/, ''));
  expect(ada).not.toContain('<');
  expect(cat).toMatch(/^ +2 {2}長い名前の猫 +<\d+>$/);
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
        const cache = cacheOf(given, now, { completeness: 'partial' });
        const shown = stateOf({ ...(change as Partial<BrowseState>), caches: { all: cache } });
        const lines = renderScreen(shown, { columns, rows }, options);
        expect(lines.length).toBeLessThanOrEqual(rows);
        if (rows > 6) expect(lines).toHaveLength(rows);
        for (const line of lines) {
          expect(displayWidth(line), JSON.stringify(line)).toBeLessThan(columns);
          expectSafe(line, 'a line');
        }
        if (columns >= 40) expect(lines.at(-1)).toMatch(/sandbox.*57.*loaded 0s ago/);
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
  [40, 'sandbox', 'sandbox · 57/60 left · loaded 3s ago'],
  [36, 'sandbox', 'sandbox · 57 left · loaded 3s ago'],
  [80, 'sandbox', 'sandbox · 57 of 60 requests left · resets in 42s · loaded 3s ago'],
  [30, 'sandbox', 'sa… · 57 left · loaded 3s ago'],
  [40, 'a-profile-with-a-name-that-is-long', 'a-profile-wi… · 57 left · loaded 3s ago'],
])('the status line fits %i columns with the profile %s', (columns, label, line) => {
  const lines = renderScreen(stateOf(), { columns, rows: 24 }, { ...options, label });
  expect(lines.at(-1)).toBe(line);
});

test('the selected pet is always visible', () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ id: index, name: `Pet ${index}` }));
  const cache = cacheOf(many);
  for (const selected of [0, 5, 100, 198, 199]) {
    const size = { columns: 60, rows: 12 };
    const lines = renderScreen(stateOf({ caches: { all: cache }, selected }), size, options);
    expect(lines.filter((line) => line.startsWith(`❯ ${String(selected).padStart(4)} `))).toHaveLength(1);
    expect(lines.filter((line) => /Pet \d/.test(line))).toHaveLength(getViewport(stateOf(), size, options).petRows);
  }
});
