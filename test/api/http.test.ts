import { assert, property, string, stringMatching } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandPath, findLink, formatLink, getHeader, matchPath } from '../../src/api/http.js';

test.each([
  ['a value', { link: '<a>' }, '<a>'],
  ['several values joined', { link: ['<a>', '<b>'] }, '<a>, <b>'],
  ['undefined for a missing header', {}, undefined],
])('getHeader returns %s', (_, headers, value) => {
  expect(getHeader(headers, 'link')).toBe(value);
});

describe('findLink', () => {
  test.each([
    ['in quotes', '</v1/pets?cursor=a>; rel="next"', '/v1/pets?cursor=a'],
    ['without quotes', '</a>; rel=next', '/a'],
    ['with spaces around the signs', '</a> ; rel = "next"', '/a'],
    ['in capitals', '</a>; REL="NEXT"', '/a'],
    ['after other parameters', '</a>; title="b"; rel="next"', '/a'],
    ['after a parameter without a value', '</a>; crossorigin; rel="next"', '/a'],
    ['in the second link', '</a>; rel="prev", </b>; rel="next"', '/b'],
    ['on a target with commas and semicolons', '</a,b;c>; rel="next"', '/a,b;c'],
    ['after a comma in quotes', '</a>; title="x, y"; rel="next"', '/a'],
    ['on a target with spaces around it', '< /a >; rel="next"', '/a'],
    ['on a target that has the parameter', '</a; rel="next">; rel="next"', '/a; rel="next"'],
  ])('finds a link %s', (_, header, target) => {
    expect(findLink(header, 'next')).toBe(target);
  });

  test.each([
    ['a missing header', undefined],
    ['another relation', '</a>; rel="prev"'],
    ['a link without a relation', '</a>'],
    ['a parameter whose name only ends alike', '</a>; hrel="next"'],
    ['a second rel, which is ignored', '</a>; rel="prev"; rel="next"'],
    ['a link inside quotes', '</a>; title="</b>; rel=next"'],
    ['a rel inside quotes before the real one', '</a>; title="; rel=next"; rel="prev"'],
    ['a target that never ends', '</a; rel="next"'],
  ])('returns undefined for %s', (_, header) => {
    expect(findLink(header, 'next')).toBeUndefined();
  });

  test('finds any formatted link', () => {
    const targets = stringMatching(/^[^<>\s]*$/);
    assert(
      property(targets, (target) => {
        expect(findLink(formatLink(target, 'next'), 'next')).toBe(target);
      }),
    );
  });
});

const name = '/v1/pets/{petId}';
const middle = '/v1/pets/{petId}/photo';

test.each([
  ['/healthz', '/healthz', ''],
  [name, '/v1/pets/7', '7'],
  [name, '/v1/pets/{petId}', '{petId}'],
  [middle, '/v1/pets/7/photo', '7'],
])('%s matches %s', (template, path, value) => {
  expect(matchPath(template, path)).toBe(value);
});

test.each([
  ['/healthz', '/healthz/'],
  [name, '/v1/pets'],
  [name, '/v1/pets/'],
  [name, '/v1/pets//7'],
  [middle, '/v1/pets/photo'],
  [middle, '/v1/pets/7/photos'],
])('%s does not match %s', (template, path) => {
  expect(matchPath(template, path)).toBeUndefined();
});

test.each([name, middle, '/healthz'])('matchPath returns what expandPath put into %s', (template) => {
  assert(
    property(string({ minLength: 1, unit: 'binary' }), (value) => {
      const path = expandPath(template, (asked) => {
        expect(asked).toBe('petId');
        return value;
      });
      const expected = template.includes('{') ? encodeURIComponent(value) : '';
      expect(matchPath(template, path)).toBe(expected);
    }),
  );
});
