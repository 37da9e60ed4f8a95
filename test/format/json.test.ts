import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatExactNumber,
  formatJson,
  highlightJson,
  isRecord,
  JsonError,
  parseJson,
  toDisplayText,
  toExactNumber,
  toPlainText,
} from '../../src/format/json.js';
import { hostileText } from '../support/text-samples.js';

describe('parseJson', () => {
  test.each([
    '9223372036854775807',
    '-9223372036854775808',
    '18446744073709551616',
    '1.0',
    '1e3',
    '0.1000000000000000055511151231257827',
  ])('keeps the digits of %s', (digits) => {
    expect(formatExactNumber(parseJson(digits))).toBe(digits);
    expect(formatJson(parseJson(`{"id":${digits}}`))).toBe(`{"id":${digits}}`);
  });

  test('strips a byte order mark from bytes and from text', () => {
    expect(parseJson(new Uint8Array([0xef, 0xbb, 0xbf, 0x5b, 0x5d]))).toEqual([]);
    expect(parseJson('\uFEFF[]')).toEqual([]);
  });

  test.each<[string, Uint8Array | string, string]>([
    ['a broken UTF-8 sequence', Uint8Array.of(0x22, 0xc3, 0x28, 0x22), 'invalid UTF-8'],
    ['white space', '\r\n\t ', 'empty input'],
    ['a key with two values', '{"a":{"secret":1,"secret":2}}', 'duplicate key at offset 18'],
    ['a trailing comma', '[1,]', 'syntax error at offset 3'],
    ['a second document', '[1] [2]', 'syntax error at offset 4'],
  ])('rejects %s', (_, source, message) => {
    expect(failureOf(source)).toMatchObject({ message, isTruncated: false });
  });

  test.each(['{', '{"a":', '{"a":1,', '"abc', '"abc\\', '"a\\u12', '[tru', '[1e'])(
    'reports %j as truncated',
    (text) => {
      expect(failureOf(text)).toMatchObject({ isTruncated: true, message: 'unexpected end of input' });
    },
  );

  test('treats __proto__ as an ordinary key', () => {
    const value = parseJson('{"__proto__":{"admin":true},"constructor":1}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(formatJson(value)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });

  test('accepts 64 levels', () => {
    const text = `${'['.repeat(32)}${'{"a":'.repeat(32)}1${'}'.repeat(32)}${']'.repeat(32)}`;
    expect(formatJson(parseJson(text))).toBe(text);
  });

  test.each([
    ['lists', '['.repeat(65)],
    ['forty thousand lists', '['.repeat(40_000)],
  ])('rejects more than 64 levels of %s', (_, text) => {
    expect(failureOf(text).message).toBe('nested more than 64 levels deep');
  });

  test.each([['escapes', '\\\\']])('parses a 16 MiB string of %s', { timeout: 120_000 }, (_, unit) => {
    const text = `"${unit.repeat((16 * 1024 * 1024 - 2) / unit.length)}"`;
    expect(JSON.stringify(parseJson(text)).length).toBe(text.length);
  });

  test('never quotes the text in an error message', () => {
    const word = fc.constantFrom('secret', '"secret"', "secret'", 'reached end of input');
    fc.assert(
      fc.property(word, fc.string(), fc.string(), (secret, before, after) => {
        const failure = tryParse(before + secret + after);
        if (failure) expect(failure.message).not.toMatch(/secret|reached/);
      }),
    );
  });

  test('accepts exactly what JSON.parse accepts, and throws only JsonError', () => {
    const pieces = fc.constantFrom(
      ...['{', '}', '[', ']', ':', ',', '"', '\\', 'u12', '1', '-', '.', 'e', 'true', 'nul', 'l'],
      ...[' ', '\n', '"a"', '"b"', '{"a":1}', '\u0000', '\ud800', '__proto__'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const failure = tryParse(text);
        if (failure?.message.startsWith('duplicate key')) return;
        expect(failure === undefined).toBe(isJson(text));
        expect(failure?.message ?? '').not.toMatch(/undefined|NaN/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('formatJson', () => {
  test('round-trips through JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(formatJson(plain))).toEqual(plain);
        expect(JSON.parse(formatJson(plain, 2))).toEqual(plain);
      }),
    );
  });

  test('escapes every unsafe character without losing any', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const document = formatJson(value, 2);
        expect(document.replaceAll('\n', '')).not.toMatch(unsafe);
        expect(JSON.parse(document)).toEqual({ ...value });
      }),
      { numRuns: 300 },
    );
  });

  test('keeps the digits of a bigint and of an exact number', () => {
    expect(formatJson([2n ** 63n - 1n, toExactNumber('9223372036854775807')])).toBe(
      '[9223372036854775807,9223372036854775807]',
    );
  });
});

test.each([
  ['an exact number', toExactNumber('1.0'), '1.0'],
  ['a bigint', 9007199254740993n, '9007199254740993'],
  ['null', null, undefined],
])('formatExactNumber returns the digits of a number only: %s', (_, value, text) => {
  expect(formatExactNumber(value)).toBe(text);
});

describe('isRecord', () => {
  test.each([
    [{}, true],
    [[], false],
    [null, false],
    [toExactNumber('1'), false],
  ])('is true for JSON objects only: %j', (value, expected) => {
    expect(isRecord(value)).toBe(expected);
  });
});

const unsafe = /(?!(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D)[\p{C}\p{Zl}\p{Zp}]/u;

function tryParse(source: Uint8Array | string): JsonError | undefined {
  try {
    parseJson(source);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(JsonError);
    return error as JsonError;
  }
}

function failureOf(source: Uint8Array | string): JsonError {
  const failure = tryParse(source);
  expect(failure).toBeDefined();
  return failure as JsonError;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['Ada', 'Ada'],
  [toExactNumber('9223372036854775807'), '9223372036854775807'],
  [['a', { b: 1 }], '["a",{"b":1}]'],
  [false, 'false'],
])('toPlainText formats %j as %s', (value, text) => {
  expect(toPlainText(value)).toBe(text);
});

test.each([
  [undefined, '-'],
  [null, '-'],
  ['', '-'],
  [false, 'no'],
  [0, '0'],
])('toDisplayText formats %j as %s', (value, text) => {
  expect(toDisplayText(value)).toBe(text);
});

const styles = {
  key: (text: string) => `\u001b[1m${text}\u001b[22m`,
  text: (text: string) => `\u001b[32m${text}\u001b[39m`,
  literal: (text: string) => `\u001b[95m${text}\u001b[39m`,
};

const highlight = (json: string) => highlightJson(json, styles);

test('keys, strings, numbers and literals are colored, but not punctuation', () => {
  expect(highlight('{\n  "a\\"b": "1: \\\\",\n  "n": [-1.5e+3, true, null, {}]\n}\n')).toBe(
    [
      '{\n  \u001b[1m"a\\"b"\u001b[22m: \u001b[32m"1: \\\\"\u001b[39m,\n',
      '  \u001b[1m"n"\u001b[22m: [\u001b[95m-1.5e+3\u001b[39m, \u001b[95mtrue\u001b[39m, \u001b[95mnull\u001b[39m, {}]\n}\n',
    ].join(''),
  );
});

test('without its escape sequences, highlighted JSON is the same text', () => {
  const values = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
  const hostileValues = fc.dictionary(hostileText, fc.oneof(hostileText, fc.double(), fc.constant(null)));
  fc.assert(
    fc.property(fc.oneof(values, hostileValues), fc.constantFrom(0, 2), (value, indent) => {
      const json = formatJson(value, indent);
      expect(stripVTControlCharacters(highlight(json))).toBe(json);
    }),
  );
});

test('a string of a million escapes is not colored', () => {
  const json = `[\n  "${'\\n'.repeat(1_000_000)}",\n  1\n]\n`;
  expect(stripVTControlCharacters(highlight(json))).toBe(json);
  expect(highlight(json)).toContain('\u001b[95m1');
});
