import { describe, expect, test } from 'vitest';
import type { Hint } from '../../src/failure.js';
import { wrapMessage } from '../../src/format/wrap.js';

describe('wrapMessage', () => {
  const quota = { words: ['quota'] };
  test.each<[Hint, number | undefined, string]>([
    [['run ', quota], 17, 'run\n  petstore quota\n'],
    [['use ', { words: ['pets', 'get', '1'] }, ' instead'], 12, 'use\n  petstore pets get 1\n  instead\n'],
    [['or ', { words: ['add', 'Rex or Ada'] }, ' to'], 12, "or\n  petstore add 'Rex or Ada'\n  to\n"],
    ['petstore sets no such header', 16, 'petstore sets no\n  such header\n'],
    [['run ', quota, ', or wait'], 21, 'run petstore quota,\n  or wait\n'],
    ['a https://pets.example.com b', 10, 'a\n  https://pets.example.com\n  b\n'],
    ['✓ Added 猫猫 to a', 11, '✓ Added\n  猫猫 to a\n'],
    ['one · two three', 6, 'one\n  · two\n  three\n'],
    ['a \u001b b', undefined, 'a \\u001b b\n'],
  ])('wraps %j to %s columns', (text, width, expected) => {
    expect(wrapMessage(text, width)).toBe(expected);
  });

  test('starts the first line and the others with margins', () => {
    expect(wrapMessage('one two', 8, '! ', '    ')).toBe('! one\n    two\n');
  });
});
