import { expect, test } from 'vitest';
import { suggestSimilar } from '../../src/format/suggest.js';

const statuses = ['available', 'pending', 'sold'];

test.each([
  ['availabel', statuses, 'available'],
  ['Pendng', statuses, 'pending'],
  ['sld', statuses, 'sold'],
  ['SOLD', statuses, 'sold'],
  ['gt', ['add', 'get', 'list'], 'get'],
  ['LIST', ['add', 'get', 'list'], 'list'],
  ['production', ['sandbox', 'Production'], 'Production'],
  ['lits', ['list', 'quota'], 'list'],
  ['STAGNG', ['sandbox', 'staging', 'production'], 'staging'],
])('for %s, among %j, suggests %s', (word, known, nearest) => {
  expect(suggestSimilar(word, known)).toBe(`did you mean "${nearest}"?`);
});

test.each([
  ['a word that is far from all', 'unicorn', statuses],
  ['a short word that shares no letter', 'xyz', ['add', 'get', 'list']],
  ['a single letter', 'a', ['add', 'ab']],
  ['no known words', 'sold', []],
  ['a word of a thousand letters', 'sold'.repeat(250), statuses],
])('suggests nothing for %s', (_, word, known) => {
  expect(suggestSimilar(word, known)).toBeUndefined();
});
