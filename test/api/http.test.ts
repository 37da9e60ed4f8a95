import { expect, test } from 'vitest';
import { getHeader } from '../../src/api/http.js';

test.each([
  ['a value as it is', { link: '<a>' }, '<a>'],
  ['an empty value', { link: '' }, ''],
  ['several values joined', { link: ['<a>', '<b>'] }, '<a>, <b>'],
  ['a list of one', { link: ['<a>'] }, '<a>'],
  ['nothing where the header is missing', {}, undefined],
  ['nothing where the header is undefined', { link: undefined }, undefined],
])('gives %s', (_, headers, value) => {
  expect(getHeader(headers, 'link')).toBe(value);
});
