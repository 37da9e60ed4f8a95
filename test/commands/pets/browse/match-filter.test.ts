import { expect, test } from 'vitest';
import { markMatches, splitFilter } from '../../../../src/commands/pets/browse/match-filter.js';

test.each([
  ['Zoe', '', 'Zoe'],
  ['Zoe', 'x', 'Zoe'],
  ['Banana', 'AN', 'B<anan>a'],
  ['Zoe 12', 'oe 1', 'Z<oe> <1>2'],
  ['Élan', 'el', '<Él>an'],
  ['E\u0301lan', 'e', '<E\u0301>lan'],
  ['İzmir', 'iz', '<İz>mir'],
  ['a🦊b', '🦊', 'a<🦊>b'],
])('in %j, the filter %j finds %j', (text, search, marked) => {
  expect(markMatches(text, splitFilter(search), (match) => `<${match}>`)).toBe(marked);
});
