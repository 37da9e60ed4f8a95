import { expect, test } from 'vitest';
import { createRedactor, Secret } from '../../src/config/secret.js';

const key = 'pets_live/a+b~c.0123456789==';

test.each([
  ['as it is', key],
  ['in a URL', encodeURIComponent(key)],
  ['in base64', Buffer.from(key).toString('base64')],
])('a known key is taken out %s, every time it comes', (_, form) => {
  const redactor = createRedactor();
  redactor.add(new Secret(key));
  expect(redactor.redact(`a ${form} b ${form}c`)).toBe('a [redacted] b [redacted]c');
});

test.each([
  ['Bearer abcdefgh', 'Bearer [redacted]'],
  ['authorization: bearer  abc.def-ghi_~+/x==', 'authorization: bearer  [redacted]'],
  ['{"authorization":"BEARER abcdefgh"}', '{"authorization":"BEARER [redacted]"}'],
])('a bearer token is taken out of %j though nobody knows it', (text, clean) => {
  expect(createRedactor().redact(text)).toBe(clean);
});

test.each(['Bearer', 'www-authenticate: Bearer realm="x"', 'pets_0123456789', ''])(
  '%j stays as it is where nothing is known',
  (text) => {
    expect(createRedactor().redact(text)).toBe(text);
  },
);

test('a secret that is too short to be one is not taken out of words', () => {
  const redactor = createRedactor();
  redactor.add(new Secret('sold'));
  redactor.add(new Secret(''));
  expect(redactor.redact('3 sold')).toBe('3 sold');
});

test('a key that begins with another key is taken out whole, in whatever order they came', () => {
  const redactor = createRedactor();
  redactor.add(new Secret('pets_0123456789'));
  redactor.add(new Secret('pets_0123456789abcdef'));
  expect(redactor.redact('pets_0123456789abcdef, pets_0123456789')).toBe('[redacted], [redacted]');
});

test('a key with signs that mean something to a pattern is taken as it is', () => {
  const redactor = createRedactor();
  redactor.add(new Secret('a.b*c$&d'));
  expect(redactor.redact('a.b*c$&d axbbc$&d')).toBe('[redacted] axbbc$&d');
});

test.each([
  ['in the middle', `said ${key.slice(0, 14)}… and more`, 'said [redacted]… and more'],
  ['before its last sign', `${key.slice(0, -1)}…`, '[redacted]…'],
  ['at its end', `said ${key}…`, 'said [redacted]…'],
  ['inside a longer word', `{"m":"x${key.slice(0, 9)}…"}`, '{"m":"x[redacted]…"}'],
  ['twice in one word', `${key.slice(0, 9)}…,${key.slice(0, 12)}…`, '[redacted]…,[redacted]…'],
  ['in a URL', `?k=${encodeURIComponent(key).slice(0, 16)}…`, '?k=[redacted]…'],
])('a key that was cut %s is taken out', (_, text, clean) => {
  const redactor = createRedactor();
  redactor.add(new Secret(key));
  expect(redactor.redact(text)).toBe(clean);
});

test('what tells two keys apart is left, and so are other words that were cut', () => {
  const redactor = createRedactor();
  redactor.add(new Secret(key));
  expect(redactor.redact('pets_…9==, petstore…, pets…')).toBe('pets_…9==, petstore…, pets…');
});
