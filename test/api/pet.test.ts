import { assert, bigInt, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankName, isInt64, isPetId, isPetStatus } from '../../src/api/pet.js';

const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

describe('isInt64', () => {
  test.each([
    '0',
    '1',
    '-1',
    '42',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
  ])('accepts %s', (text) => {
    expect(isInt64(text)).toBe(true);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    '1\n',
    '+1',
    '-',
    '-0',
    '--1',
    '007',
    '1.0',
    '1e3',
    '0x10',
    '1_000',
    '９',
    'NaN',
    '9223372036854775808',
    '-9223372036854775809',
    '10000000000000000000',
    '99999999999999999999999999',
  ])('rejects %j', (text) => {
    expect(isInt64(text)).toBe(false);
  });

  test('accepts exactly the integers from -2^63 to 2^63-1', () => {
    assert(
      property(bigInt({ min: smallest * 4n, max: largest * 4n }), (number) => {
        expect(isInt64(String(number))).toBe(number >= smallest && number <= largest);
      }),
    );
  });

  test('accepts only canonical digits', () => {
    assert(
      property(string({ unit: 'grapheme-ascii' }), (text) => {
        if (isInt64(text)) expect(String(BigInt(text))).toBe(text);
      }),
    );
  });
});

describe('isPetId', () => {
  test.each(['0', '1', '9223372036854775807'])('accepts %s', (text) => {
    expect(isPetId(text)).toBe(true);
  });

  test.each(['-1', '-0', '', '007', '1.0', '9223372036854775808'])('rejects %j', (text) => {
    expect(isPetId(text)).toBe(false);
  });
});

describe('isPetStatus', () => {
  test.each(['available', 'pending', 'sold'])('accepts %s', (value) => {
    expect(isPetStatus(value)).toBe(true);
  });

  test.each(['Available', 'sold ', '', 'lost', undefined, null, 1, ['sold']])(
    'rejects %j',
    (value) => {
      expect(isPetStatus(value)).toBe(false);
    },
  );
});

describe('isBlankName', () => {
  test.each(['', ' ', '\t\r\n', '\u00a0', '\u2003', '\u3000', '\ufeff'])('accepts %j', (name) => {
    expect(isBlankName(name)).toBe(true);
  });

  test.each(['a', ' a ', '.', '🐈'])('rejects %j', (name) => {
    expect(isBlankName(name)).toBe(false);
  });
});
