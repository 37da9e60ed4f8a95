import { expect, test } from 'vitest';
import { suggestSimilar } from '../../src/format/suggest.js';

const statuses = ['available', 'pending', 'sold'];

test.each([
  ['availabel', statuses, 'available'],
  ['Pendng', statuses, 'pending'],
  ['sld', statuses, 'sold'],
  ['gt', ['add', 'get', 'list'], 'get'],
  ['production', ['sandbox', 'Production'], 'Production'],
  ['STAGNG', ['sandbox', 'staging', 'production'], 'staging'],
])('for %s, among %j, suggests %s', (word, known, nearest) => {
  expect(suggestSimilar(word, known)).toBe(`did you mean "${nearest}"?`);
});

test.each([
  ['a word that is far from all', 'unicorn', statuses],
  ['a short word that shares no letter', 'xyz', ['add', 'get', 'list']],
  ['no known words', 'sold', []],
])('suggests nothing for %s', (_, word, known) => {
  expect(suggestSimilar(word, known)).toBeUndefined();
});
