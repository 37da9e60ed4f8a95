import { assert, property, string, stringMatching } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLink, formatLink } from '../../src/api/http.js';

describe('findLink', () => {
  test.each([
    ['in quotes', '</v1/pets?cursor=a>; rel="next"', '/v1/pets?cursor=a'],
    ['without quotes', '</a>; rel=next', '/a'],
    ['without spaces', '</a>;rel=next', '/a'],
    ['with spaces around the signs', '</a> ; rel = "next"', '/a'],
    ['in capitals', '</a>; REL="NEXT"', '/a'],
    ['among several relations', '</a>; rel="last next"', '/a'],
    ['after other parameters', '</a>; title="b"; rel="next"', '/a'],
    ['before other parameters', '</a>; rel="next"; title="b"', '/a'],
    ['after a parameter without a value', '</a>; crossorigin; rel="next"', '/a'],
    ['in the second link', '</a>; rel="prev", </b>; rel="next"', '/b'],
    ['in the first of two such links', '</a>; rel="next", </b>; rel="next"', '/a'],
    ['on an absolute target', '<https://pets.example/v1/pets>; rel="next"', 'https://pets.example/v1/pets'],
    ['on a target with commas and semicolons', '</a,b;c>; rel="next"', '/a,b;c'],
    ['after a comma in quotes', '</a>; title="x, y"; rel="next"', '/a'],
    ['after an escaped quote', String.raw`</a>; title="\"x\""; rel="next"`, '/a'],
    ['on a target with spaces around it', '< /a >; rel="next"', '/a'],
    ['on an empty target', '<>; rel="next"', ''],
    ['after another opening', '<<b>; rel="next"', 'b'],
    ['on a target that has the parameter', '</a; rel="next">; rel="next"', '/a; rel="next"'],
  ])('finds a link %s', (_, header, target) => {
    expect(findLink(header, 'next')).toBe(target);
  });

  test.each([
    ['a missing header', undefined],
    ['an empty header', ''],
    ['another relation', '</a>; rel="prev"'],
    ['a relation that only starts alike', '</a>; rel="nextish"'],
    ['a link without a relation', '</a>'],
    ['a parameter whose name only ends alike', '</a>; hrel="next"'],
    ['a second rel, which is ignored', '</a>; rel="prev"; rel="next"'],
    ['a link inside quotes', '</a>; title="</b>; rel=next"'],
    ['a rel inside quotes', '</a>; title="; rel=next"'],
    ['a rel inside quotes before the real one', '</a>; title="; rel=next"; rel="prev"'],
    ['a target that never ends', '</a; rel="next"'],
    ['words', 'rel="next"'],
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

  test('never throws, for any header', () => {
    assert(property(string({ unit: 'binary' }), (header) => void findLink(header, 'next')));
  });
});

test('formatLink quotes the relation', () => {
  expect(formatLink('/v1/pets?limit=1&cursor=MQ', 'next')).toBe('</v1/pets?limit=1&cursor=MQ>; rel="next"');
});
