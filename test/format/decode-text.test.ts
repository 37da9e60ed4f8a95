import { expect, test } from 'vitest';
import { decodePercent, decodeText } from '../../src/format/decode-text.js';

async function decoded(bytes: Uint8Array, size: number): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  let text = '';
  for await (const part of decodeText(chunks())) text += part;
  return text;
}

const text = 'name\nRenée 😀\n';
const utf16 = Buffer.from(text, 'utf16le');

test.each<[string, Uint8Array]>([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 with its lower byte first', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ['UTF-16 with its higher byte first', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()])],
])('decodes %s in chunks of any size', async (_, bytes) => {
  for (const size of [1, 2, 3, 5, 1_000]) expect(await decoded(bytes, size)).toBe(text);
});

test.each([
  ['nothing', '', ''],
  ['one byte', 'a', 'a'],
])('decodes %s', async (_, bytes, expected) => {
  expect(await decoded(Buffer.from(bytes), 1)).toBe(expected);
});

test.each([
  ['another encoding', Buffer.from('Renée', 'latin1')],
  ['half a character', Buffer.from('é').subarray(0, 1)],
  ['a character that is cut off', Buffer.from('a😀').subarray(0, 3)],
])('rejects %s', async (_, bytes) => {
  for (const size of [1, 2, 100]) {
    await expect(decoded(bytes, size)).rejects.toMatchObject({ name: 'EncodingError' });
  }
});

test.each([
  ['plain', 'plain'],
  ['p%40ss', 'p@ss'],
  ['%F0%9F%90%B6', '\u{1f436}'],
  ['100%', undefined],
  ['%ff', undefined],
])('decodePercent decodes %j to %j', (text, decoded) => {
  expect(decodePercent(text)).toBe(decoded);
});
