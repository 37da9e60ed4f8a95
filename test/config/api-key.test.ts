import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parseApiKey, readApiKeyFile } from '../../src/config/api-key.js';
import { createRedactor, Secret } from '../../src/config/secret.js';
import { temporaryDirectory } from '../support/petstore.js';

const key = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';
const userId = process.getuid?.();

function fileWith(content: string | Uint8Array): string {
  const path = join(temporaryDirectory(), 'key.txt');
  writeFileSync(path, content);
  return path;
}

test.each([key, `${key}\n`, `\r\n  ${key}\t\n`, '-._~+/==', 'k'.repeat(1_000)])(
  'accepts the API key %j and trims it',
  (text) => {
    expect(parseApiKey(text, 'it').reveal()).toBe(text.trim());
    expect(readApiKeyFile(fileWith(text), 'FILE', userId).reveal()).toBe(text.trim());
  },
);

test('accepts UTF-16, which Windows programs write', () => {
  const bytes = Buffer.from(`\ufeff${key}\r\n`, 'utf16le');
  expect(readApiKeyFile(fileWith(bytes), 'FILE', userId).reveal()).toBe(key);
});

test.each([
  ['is blank', ' \n\t', 'auth', 'no_key', 'does not contain an API key'],
  ['has "Bearer" before it', `Bearer ${key}`, 'usage', 'invalid_key', 'is not an API key'],
  ['has two lines', `${key}\n${key}`, 'usage', 'invalid_key', 'is not an API key'],
])('rejects a file whose content %s and does not repeat it', (_, content, kind, code, message) => {
  const details = { code, message: expect.stringMatching(new RegExp(`^the file in FILE ${message}(?!.*${key})`)) };
  expect(() => readApiKeyFile(fileWith(content), 'FILE', userId)).toThrow(
    expect.objectContaining({ kind, details: expect.objectContaining(details) }),
  );
});

test.each([
  ['is missing', () => join(temporaryDirectory(), 'none'), 'ENOENT'],
  ['is a directory', () => temporaryDirectory(), 'EISDIR'],
])('names the flag and not the path of a file that %s', (_, make, code) => {
  expect(() => readApiKeyFile(make(), 'FILE', userId)).toThrow(`cannot read the file in FILE (${code})`);
});

test.skipIf(userId === undefined).each([0o620, 0o602])(
  'rejects a file of mode %o, since others can write it',
  (mode) => {
    const path = fileWith(key);
    chmodSync(path, mode);
    const exposed = { kind: 'system', details: expect.objectContaining({ code: 'exposed_credentials' }) };
    expect(() => readApiKeyFile(path, 'FILE', userId)).toThrow(expect.objectContaining(exposed));
    // Windows has no file modes.
    expect(readApiKeyFile(path, 'FILE', undefined).reveal()).toBe(key);
  },
);

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
  ['inside a longer word', `{"m":"x${key.slice(0, 9)}…"}`, '{"m":"x[redacted]…"}'],
])('redacts a key that was truncated %s', (_, text, clean) => {
  expect(redactorOf(key).redact(text)).toBe(clean);
});
