import { expect, test } from 'vitest';
import { getHeader } from '../../src/api/http.js';

test.each([
  ['a value', { link: '<a>' }, '<a>'],
  ['an empty value', { link: '' }, ''],
  ['several values joined', { link: ['<a>', '<b>'] }, '<a>, <b>'],
  ['a list of one', { link: ['<a>'] }, '<a>'],
  ['undefined for a missing header', {}, undefined],
  ['undefined for an undefined header', { link: undefined }, undefined],
])('returns %s', (_, headers, value) => {
  expect(getHeader(headers, 'link')).toBe(value);
});
