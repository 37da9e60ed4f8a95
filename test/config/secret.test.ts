import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createRedactor, Secret } from '../../src/config/secret.js';

const key = 'pets_live/a+b~c.0123456789==';

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

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
  ['as plain text', key],
  ['in a URL', encodeURIComponent(key)],
  ['in base64', Buffer.from(key).toString('base64')],
])('redacts every occurrence of a known key %s', (_, form) => {
  const redactor = redactorOf(key);
  expect(redactor.redact(`a ${form} b ${form}c`)).toBe('a [redacted] b [redacted]c');
});

test.each([
  ['percent-encoded in lower case', encodeURIComponent(key).replace(/%../g, (byte) => byte.toLowerCase())],
  ['with every byte percent-encoded', hexOf(key).replace(/../g, '%$&')],
  ['in base64url', Buffer.from(key).toString('base64url')],
  ['in hexadecimal', hexOf(key)],
  ['in uppercase hexadecimal', hexOf(key).toUpperCase()],
])('redacts a known key %s', (_, form) => {
  expect(redactorOf(key).redact(`a ${form} b`)).toBe('a [redacted] b');
});

test.each(
  ['base64', 'base64url'].flatMap((encoding) =>
    ['Bearer KEY', '{"authorization":"Bearer KEY"}', 'KEY', 'aKEY', 'abKEY', 'abKEYc', 'aKEYbc'].map(
      (template) => [template, encoding as 'base64' | 'base64url'] as const,
    ),
  ),
)('redacts a known key inside %j in %s', (template, encoding) => {
  for (const known of [key, `${key}1`, `${key}12`, '?>?>?>?>ü']) {
    const text = Buffer.from(template.replace('KEY', known)).toString(encoding);
    const clean = redactorOf(known).redact(`said ${text} twice: ${text}`);
    const [before = '', after = ''] = template.split('KEY');
    // What remains encodes only the text around the key, 6 bits per character.
    const start = text.slice(0, Math.floor((before.length * 8) / 6));
    const [, end = ''] = clean.split(`${start}[redacted]`);
    expect(end.replace(/=* twice: .*$/, '').length).toBeLessThanOrEqual(Math.ceil((after.length * 8) / 6));
    expect(clean).toMatch(/^said [\w+/-]*\[redacted\][\w+/-]*=* twice: [\w+/-]*\[redacted\][\w+/-]*=*$/);
  }
});

test('redacts a key in base64 that is truncated', () => {
  const text = Buffer.from(`Bearer ${key}`).toString('base64').slice(0, 24);
  expect(redactorOf(key).redact(`${text}…`)).toMatch(/^QmVhcmVyI.\[redacted\]…$/);
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

test('redacts a key that becomes known after the first redaction', () => {
  const redactor = redactorOf(key);
  redactor.redact(key);
  redactor.add(new Secret('second.key'));
  expect(redactor.redact('a second.key b')).toBe('a [redacted] b');
});

test('treats special characters of regular expressions literally', () => {
  const redactor = redactorOf('a.b*c$&d');
  expect(redactor.redact('a.b*c$&d axbbc$&d')).toBe('[redacted] axbbc$&d');
});

test.each([
  ['in the middle', `said ${key.slice(0, 14)}… and more`, 'said [redacted]… and more'],
  ['before its last character', `${key.slice(0, -1)}…`, '[redacted]…'],
  ['at its end', `said ${key}…`, 'said [redacted]…'],
  ['inside a longer word', `{"m":"x${key.slice(0, 9)}…"}`, '{"m":"x[redacted]…"}'],
  ['twice in one word', `${key.slice(0, 9)}…,${key.slice(0, 12)}…`, '[redacted]…,[redacted]…'],
  ['in a URL', `?k=${encodeURIComponent(key).slice(0, 16)}…`, '?k=[redacted]…'],
])('redacts a key that was truncated %s', (_, text, clean) => {
  const redactor = redactorOf(key);
  expect(redactor.redact(text)).toBe(clean);
});

test('keeps masked keys and other truncated words', () => {
  const redactor = redactorOf(key);
  expect(redactor.redact('pets_…9==, petstore…, pets…')).toBe('pets_…9==, petstore…, pets…');
});

test('removes what has the form of an API key, but not the prefix of one', () => {
  const { redact } = createRedactor();
  expect(redact(`unknown command "pets_${'4f2a'.repeat(12)}ab"`)).toBe('unknown command "[redacted]"');
  expect(redact('revoked pets_4f2a…')).toBe('revoked pets_4f2a…');
});

test.each([
  ['staging', true],
  ['acme-test-2', true],
  ['pets_live_0123456789', false],
  ['averylongwordofletters', false],
])('a rejected API key that is a word is kept in texts: %s', (value, isKept) => {
  const redactor = createRedactor();
  const secret = new Secret(value);
  redactor.add(secret);
  expect(redactor.redact(`to ${value}`)).toBe('to [redacted]');
  redactor.allowWord(secret);
  expect(redactor.redact(`to ${value}`)).toBe(isKept ? `to ${value}` : 'to [redacted]');
});
