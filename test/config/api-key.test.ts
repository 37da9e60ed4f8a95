import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseApiKey, readApiKeyFile } from '../../src/config/api-key.js';
import { temporaryDirectory } from '../support/petstore.js';

const key = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

function fileWith(content: string): string {
  const path = join(temporaryDirectory(), 'key.txt');
  writeFileSync(path, content);
  return path;
}

const userId = process.getuid?.();

test.each([key, `${key}\n`, `\r\n  ${key}\t\n`, '-._~+/==', 'k'.repeat(1_000)])(
  'accepts the API key %j and trims it',
  (text) => {
    expect(parseApiKey(text, 'it').reveal()).toBe(text.trim());
    expect(readApiKeyFile(fileWith(text), 'FILE', userId).reveal()).toBe(text.trim());
  },
);

test.each(['utf16le', 'utf16be'])('accepts %s, which Windows programs write', (encoding) => {
  const path = fileWith('');
  const bytes = Buffer.from(`\ufeff${key}\r\n`, 'utf16le');
  writeFileSync(path, encoding === 'utf16le' ? bytes : bytes.swap16());
  expect(readApiKeyFile(path, 'FILE', userId).reveal()).toBe(key);
});

test.each([
  ['is empty', '', 'auth', 'no_key', 'does not contain an API key'],
  ['is blank', ' \n\t', 'auth', 'no_key', 'does not contain an API key'],
  ['has "Bearer" before it', `Bearer ${key}`, 'usage', 'invalid_key', 'starts with "Bearer"'],
  ['has two lines', `${key}\n${key}`, 'usage', 'invalid_key', 'is not an API key'],
  ['is too long', 'k'.repeat(1_001), 'usage', 'invalid_key', 'is not an API key'],
  ['is far too long', 'k'.repeat(4_097), 'usage', 'unreadable_input', 'has more than 4,096 bytes'],
])('rejects a file whose content %s and does not repeat it', (_, content, kind, code, message) => {
  expect(() => readApiKeyFile(fileWith(content), 'FILE', userId)).toThrow(
    expect.objectContaining({
      kind,
      details: expect.objectContaining({
        code,
        message: expect.stringMatching(new RegExp(`^the file in FILE ${message}(?!.*${key})`)),
      }),
    }),
  );
});

test.skipIf(userId === undefined)('stops reading an endless file', () => {
  expect(() => readApiKeyFile('/dev/zero', 'FILE', userId)).toThrow('the file in FILE has more than 4,096 bytes');
});

test.skipIf(userId === undefined)('reads an API key that arrives in pieces through a pipe', () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const script = '(sleep 0.1; printf pets_0123; sleep 0.1; printf 456789) > "$1"';
  spawn('sh', ['-c', script, 'sh', path], { stdio: 'ignore' });
  expect(readApiKeyFile(path, 'FILE', userId).reveal()).toBe('pets_0123456789');
});

test.each([
  ['is missing', () => join(temporaryDirectory(), 'none'), 'ENOENT'],
  ['is a directory', () => temporaryDirectory(), 'EISDIR'],
])('names the flag and not the path of a file that %s', (_, make, code) => {
  expect(() => readApiKeyFile(make(), 'FILE', userId)).toThrow(`cannot read the file in FILE (${code})`);
});

test.skipIf(userId === undefined).each([0o620, 0o602, 0o666])(
  'rejects a file of mode %o, since others can write it',
  (mode) => {
    const path = fileWith(key);
    chmodSync(path, mode);
    expect(() => readApiKeyFile(path, 'FILE', userId)).toThrow(
      expect.objectContaining({
        kind: 'system',
        details: {
          code: 'exposed_credentials',
          message: 'the file in FILE is writable by other users',
          hint: 'check its content, then fix its owner and mode',
        },
      }),
    );
    expect(readApiKeyFile(path, 'FILE', undefined).reveal()).toBe(key);
  },
);
