import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

const isUnix = process.platform !== 'win32';

test.each([key, `${key}\n`, `\r\n  ${key}\t\n`, '-._~+/==', 'k'.repeat(1_000)])(
  'the key %j is taken, without the white space around it',
  (text) => {
    expect(parseApiKey(text, 'it').reveal()).toBe(text.trim());
    expect(readApiKeyFile(fileWith(text), 'FILE').reveal()).toBe(text.trim());
  },
);

test.each([
  ['is empty', '', 'auth', 'no_key', 'holds no API key'],
  ['is blank', ' \n\t', 'auth', 'no_key', 'holds no API key'],
  ['has "Bearer" before it', `Bearer ${key}`, 'usage', 'invalid_key', 'starts with "Bearer"'],
  ['has two lines', `${key}\n${key}`, 'usage', 'invalid_key', 'is no API key'],
  ['is too long', 'k'.repeat(1_001), 'usage', 'invalid_key', 'is no API key'],
  ['is far too long', 'k'.repeat(1_000_000), 'usage', 'invalid_key', 'is no API key'],
])('a file whose content %s is refused, and not repeated', (_, content, kind, code, message) => {
  expect(() => readApiKeyFile(fileWith(content), 'FILE')).toThrow(
    expect.objectContaining({
      kind,
      details: expect.objectContaining({
        code,
        message: expect.stringMatching(new RegExp(`^the file of FILE ${message}(?!.*${key})`)),
      }),
    }),
  );
});

test.runIf(isUnix)('a file without end is read as far as a key can be long', () => {
  expect(() => readApiKeyFile('/dev/zero', 'FILE')).toThrow('the file of FILE is no API key');
});

test.runIf(isUnix)('a key that comes through a pipe, slowly and in pieces, is read whole', () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const script = '(sleep 0.1; printf pets_0123; sleep 0.1; printf 456789) > "$1"';
  spawn('sh', ['-c', script, 'sh', path], { stdio: 'ignore' });
  expect(readApiKeyFile(path, 'FILE').reveal()).toBe('pets_0123456789');
});

test.each([
  ['is missing', () => join(temporaryDirectory(), 'none'), 'ENOENT'],
  ['is a directory', () => temporaryDirectory(), 'EISDIR'],
])('a file that %s is told by its flag, not by its path', (_, make, code) => {
  expect(() => readApiKeyFile(make(), 'FILE')).toThrow(`the file of FILE cannot be read (${code})`);
});
