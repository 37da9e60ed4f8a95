import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatExactNumber, formatJson, isRecord, JsonError, parseJson, toExactNumber } from '../../src/format/json.js';

describe('parseJson', () => {
  test.each([
    '9223372036854775807',
    '-9223372036854775808',
    '18446744073709551616',
    '1.0',
    '1e3',
    '1E-400',
    '-0',
    '0.1000000000000000055511151231257827',
  ])('keeps the digits of %s', (digits) => {
    expect(formatExactNumber(parseJson(digits))).toBe(digits);
    expect(formatJson(parseJson(`{"id":${digits}}`))).toBe(`{"id":${digits}}`);
  });

  test('strips a byte order mark from bytes and from text', () => {
    expect(parseJson(new Uint8Array([0xef, 0xbb, 0xbf, 0x5b, 0x5d]))).toEqual([]);
    expect(parseJson('\uFEFF[]')).toEqual([]);
  });

  test('rejects a second byte order mark', () => {
    expect(failureOf('\uFEFF\uFEFF[]').reason).toBe('malformed');
  });

  test('decodes bytes as UTF-8', () => {
    expect(parseJson(new TextEncoder().encode('"Zoë 🐕"'))).toBe('Zoë 🐕');
  });

  test.each([
    ['a broken sequence', [0x22, 0xc3, 0x28, 0x22]],
    ['a lone surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00]],
    ['a character cut in two', [0x22, 0xf0, 0x9f]],
  ])('rejects %s as not UTF-8', (_, bytes) => {
    expect(failureOf(new Uint8Array(bytes))).toMatchObject({
      name: 'JsonError',
      reason: 'encoding',
      message: 'invalid UTF-8',
      offset: undefined,
    });
  });

  test.each(['', ' ', '\r\n\t '])('reports %j as empty', (text) => {
    expect(failureOf(text)).toMatchObject({ reason: 'empty', message: 'empty input' });
    expect(failureOf(new TextEncoder().encode(text)).reason).toBe('empty');
  });

  test.each([
    ['an object', '{'],
    ['an object after a key', '{"a"'],
    ['an object after a colon', '{"a":'],
    ['an object after a value', '{"a":1'],
    ['an object after a comma', '{"a":1,'],
    ['a list', '[1'],
    ['a list after a comma', '[1,'],
    ['a text', '"abc'],
    ['an escape', '"abc\\'],
    ['an escape of four digits', '"a\\u12'],
    ['the literal true', '[tru'],
    ['the literal null', 'nul'],
    ['a fraction', '1.'],
    ['an exponent', '[1e'],
    ['a minus sign', '-'],
  ])('reports a document that ends within %s as truncated', (_, text) => {
    expect(failureOf(text)).toMatchObject({ reason: 'truncated', message: 'unexpected end of input' });
  });

  test.each([
    ['a trailing comma', '[1,]', 3],
    ['a leading comma', '[,]', 1],
    ['a key without quotes', '{a:1}', 1],
    ['a missing colon', '{"a" 1}', 5],
    ['a missing comma', '[1 2]', 3],
    ['NaN', 'NaN', 0],
    ['a plus sign', '+1', 0],
    ['a leading zero', '01', 1],
    ['single quotes', "'a'", 0],
    ['a second document', '[1] [2]', 4],
    ['JSON lines', '{"a":1}\n{"a":2}', 8],
    ['HTML', '<!doctype html>', 0],
    ['a line feed within text', '"a\nb"', 2],
    ['an unknown escape', '"\\x"', 1],
    ['a no-break space', '\u00a01', 0],
  ])('reports %s as malformed, with the offset', (_, text, offset) => {
    expect(failureOf(text)).toMatchObject({
      reason: 'malformed',
      message: `syntax error at offset ${offset}`,
      offset,
    });
  });

  test('rejects a key with two different values at any level', () => {
    expect(failureOf('{"a":{"secret":1,"secret":2}}')).toMatchObject({
      reason: 'duplicate-key',
      message: 'duplicate key at offset 18',
      offset: 18,
    });
  });

  test('accepts the same key in two records', () => {
    expect(formatJson(parseJson('[{"a":1},{"a":2}]'))).toBe('[{"a":1},{"a":2}]');
  });

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
    ['lists', '['.repeat(65), 64],
    ['objects', '{"a":'.repeat(65), 64 * 5],
    ['forty thousand lists', '['.repeat(40_000), 64],
  ])('rejects more than 64 levels of %s', (_, text, offset) => {
    expect(failureOf(text)).toMatchObject({
      reason: 'too-deep',
      message: 'nested more than 64 levels deep',
      offset,
    });
  });

  test('ignores brackets inside strings', () => {
    const text = `["${'[{'.repeat(100)}","\\"[[[${'['.repeat(100)}"]`;
    expect(formatJson(parseJson(text))).toBe(text);
  });

  test.each([
    ['plain text', 'a'],
    ['escapes', '\\\\'],
  ])('parses a 16 MiB string of %s', { timeout: 120_000 }, (_, unit) => {
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
        if (failure?.reason === 'duplicate-key') return;
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

  test.each([
    ['ESC', '\u001b[2J', '"\\u001b[2J"'],
    ['DEL', '\u007f', '"\\u007f"'],
    ['C1', '\u009b', '"\\u009b"'],
    ['bidi', '\u202e', '"\\u202e"'],
    ['zero-width', '\u200b\ufeff', '"\\u200b\\ufeff"'],
    ['a line separator', '\u2028', '"\\u2028"'],
    ['an astral tag character', '\u{e0041}', '"\\udb40\\udc41"'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['a line feed', 'a\nb', '"a\\nb"'],
    ['a backslash before a zero-width space', '\\\u200b', '"\\\\\\u200b"'],
    ['an emoji sequence', '👩‍🚀', '"👩‍🚀"'],
  ])('escapes %s', (_, value, written) => {
    expect(formatJson(value)).toBe(written);
  });

  test('indents by the given number of spaces', () => {
    expect(formatJson({ a: [1], b: {} }, 2)).toBe('{\n  "a": [\n    1\n  ],\n  "b": {}\n}');
  });

  test('keeps the digits of a bigint and of an exact number', () => {
    expect(formatJson([2n ** 63n - 1n, toExactNumber('9223372036854775807')])).toBe(
      '[9223372036854775807,9223372036854775807]',
    );
  });

  test('omits an undefined member and formats undefined as null', () => {
    expect(formatJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(formatJson(undefined)).toBe('null');
  });
});

describe('formatExactNumber', () => {
  test.each([
    ['an exact number', toExactNumber('1.0'), '1.0'],
    ['a number', 42, '42'],
    ['a bigint', 9007199254740993n, '9007199254740993'],
    ['digits in a string', '42', undefined],
    ['null', null, undefined],
    ['nothing', undefined, undefined],
    ['a record', { value: '42' }, undefined],
    ['a boolean', true, undefined],
  ])('returns the digits of a number and nothing for other values: %s', (_, value, text) => {
    expect(formatExactNumber(value)).toBe(text);
  });
});

describe('isRecord', () => {
  test.each([
    ['a record', {}, true],
    ['a list', [], false],
    ['null', null, false],
    ['text', '{}', false],
    ['an exact number', toExactNumber('1'), false],
  ])('is true for JSON objects only: %s', (_, value, expected) => {
    expect(isRecord(value)).toBe(expected);
  });

  test('is true for a record that imitates an exact number', () => {
    const record = parseJson('{"isLosslessNumber":true,"value":"1"}');
    expect(isRecord(record)).toBe(true);
    expect(formatExactNumber(record)).toBeUndefined();
    expect(formatJson(record)).toBe('{"isLosslessNumber":true,"value":"1"}');
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
