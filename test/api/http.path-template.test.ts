import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { expandPath, matchPath } from '../../src/api/http.js';

const name = '/v1/pets/{petId}';
const middle = '/v1/pets/{petId}/photo';

test.each([
  ['/healthz', '/healthz', ''],
  [name, '/v1/pets/7', '7'],
  [name, '/v1/pets/%2f', '%2f'],
  [name, '/v1/pets/{petId}', '{petId}'],
  [middle, '/v1/pets/7/photo', '7'],
  [middle, '/v1/pets/photo/photo', 'photo'],
])('%s matches %s', (template, path, value) => {
  expect(matchPath(template, path)).toBe(value);
});

test.each([
  ['/healthz', '/healthz/'],
  ['/healthz', '/HEALTHZ'],
  [name, '/v1/pets'],
  [name, '/v1/pets/'],
  [name, '/v1/pets/7/'],
  [name, '/v1/pets//7'],
  [name, '/v2/pets/7'],
  [middle, '/v1/pets/photo'],
  [middle, '/v1/pets//photo'],
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
