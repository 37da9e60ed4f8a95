import { expect, test } from 'vitest';
import { decodePercent, decodeText } from '../../src/format/decode-text.js';

const text = 'name\nRenée 😀\n';
const utf16 = Buffer.from(text, 'utf16le');

test.each<[string, Uint8Array]>([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 with its lower byte first', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ['UTF-16 with its higher byte first', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()])],
])('decodes %s', (_, bytes) => {
  expect(Buffer.from(decodeText(bytes) ?? []).toString()).toBe(text);
});

test('rejects another encoding', () => {
  expect(decodeText(Buffer.from('Renée', 'latin1'))).toBeUndefined();
});

test.each([
  ['plain', 'plain'],
  ['%F0%9F%90%B6', '\u{1f436}'],
  ['100%', undefined],
  ['%ff', undefined],
])('decodePercent decodes %j to %j', (text, decoded) => {
  expect(decodePercent(text)).toBe(decoded);
});
