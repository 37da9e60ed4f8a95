import { expect, test, vi } from 'vitest';
import { markMatches } from '../../../../src/commands/pets/browse/render-pets.js';
import { splitFilter } from '../../../../src/format/fold-text.js';

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
  ['Øl Đ', 'ol d', '<Øl> <Đ>'],
  ['ΟΔΟΣ', 'ΟΔΟΣ', '<ΟΔΟΣ>'],
  ['οδός', 'οδοσ', '<οδός>'],
  ['a🦊b', '🦊', 'a<🦊>b'],
])('in %j, the filter %j finds %j', (text, search, marked) => {
  expect(markMatches(text, splitFilter(search), (match) => `<${match}>`)).toBe(marked);
});

test('all texts share one segmenter', () => {
  const create = vi.spyOn(Intl, 'Segmenter');
  try {
    for (const text of ['Ada', 'Rex', 'Zoe']) markMatches(text, ['a'], (match) => match);
    expect(create.mock.calls.length).toBeLessThanOrEqual(1);
  } finally {
    create.mockRestore();
  }
});
