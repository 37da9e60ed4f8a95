import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createRedactor, Secret } from '../../src/config/secret.js';

const key = 'pets_live/a+b~c.0123456789==';

function redactorOf(...secrets: readonly string[]) {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(new Secret(secret));
  return redactor;
}

test('is never part of a text, JSON or an inspected object', () => {
  const secret = new Secret(key);
  expect([`${secret}`, JSON.stringify({ secret }), inspect({ secret })]).toEqual([
    '[redacted]',
    '{"secret":"[redacted]"}',
    '{ secret: [redacted] }',
  ]);
});

test.each([
  ['Bearer abcdefgh', 'Bearer [redacted]'],
  ['authorization: bearer  abc.def-ghi_~+/x==', 'authorization: bearer  [redacted]'],
  ['{"authorization":"BEARER abcdefgh"}', '{"authorization":"BEARER [redacted]"}'],
])('redacts the unknown bearer token in %j', (text, clean) => {
  expect(createRedactor().redact(text)).toBe(clean);
});

test.each(['Bearer', 'www-authenticate: Bearer realm="x"', 'pets_0123456789', ''])(
  'keeps %j if no secret is known',
  (text) => {
    expect(createRedactor().redact(text)).toBe(text);
  },
);

test('does not redact secrets that are too short', () => {
  const redactor = redactorOf('sold', '');
  expect(redactor.redact('3 sold')).toBe('3 sold');
});

test('redacts a whole key that starts with another key', () => {
  const redactor = redactorOf('pets_0123456789', 'pets_0123456789abcdef');
  expect(redactor.redact('pets_0123456789abcdef, pets_0123456789')).toBe('[redacted], [redacted]');
});

test.each([
  ['in the middle', `said ${key.slice(0, 14)}… and more`, 'said [redacted]… and more'],
  ['before its last character', `${key.slice(0, -1)}…`, '[redacted]…'],
  ['inside a longer word', `{"m":"x${key.slice(0, 9)}…"}`, '{"m":"x[redacted]…"}'],
])('redacts a key that was truncated %s', (_, text, clean) => {
  expect(redactorOf(key).redact(text)).toBe(clean);
});
