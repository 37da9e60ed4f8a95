import { assert, bigInt, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBlankName, isInt64, isPetId, isPetStatus } from '../../src/api/pet.js';
import { blankNames, validNames } from '../support/text-samples.js';

const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

describe('isInt64', () => {
  test('accepts exactly the integers from -2^63 to 2^63-1', () => {
    assert(
      property(bigInt({ min: smallest * 4n, max: largest * 4n }), (number) => {
        expect(isInt64(String(number))).toBe(number >= smallest && number <= largest);
      }),
      { examples: [[largest], [largest + 1n], [smallest], [smallest - 1n], [0n]] },
    );
  });

  test('accepts only canonical digits', () => {
    const isCanonical = (text: string) => {
      try {
        return String(BigInt(text)) === text;
      } catch {
        return false;
      }
    };
    const examples = ['', '-', '-0', '--1', '+1', '1\n', '007', '1.0', '1e3', '0x10', '1_000', '９'];
    assert(
      property(string({ unit: constantFrom(...'019-+ .ex_\n９'), maxLength: 8 }), (text) => {
        expect(isInt64(text)).toBe(isCanonical(text));
      }),
      { examples: examples.map((text) => [text]) },
    );
  });
});

test('isPetId accepts exactly the 64-bit integers that are not negative', () => {
  const texts = ['0', '1', '9223372036854775807', '-1', '-0', '', '007', '1.0', '9223372036854775808'];
  expect(texts.filter(isPetId)).toEqual(['0', '1', '9223372036854775807']);
});

test('isPetStatus accepts exactly the statuses of the API spec', () => {
  const values = ['available', 'pending', 'sold', 'Available', 'sold ', '', undefined, 1, ['sold']];
  expect(values.filter(isPetStatus)).toEqual(['available', 'pending', 'sold']);
});

describe('isBlankName', () => {
  test.each(blankNames)('accepts %j', (name) => {
    expect(isBlankName(name)).toBe(true);
  });

  test.each(validNames)('rejects %j', (name) => {
    expect(isBlankName(name)).toBe(false);
  });
});
