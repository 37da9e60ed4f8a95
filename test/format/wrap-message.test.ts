import { describe, expect, test } from 'vitest';
import { toSafeText } from '../../src/format/safe-text.js';
import { wrapMessage } from '../../src/format/wrap-message.js';

describe('wrapMessage', () => {
  test.each<[string, number | undefined, string]>([
    ['run petstore quota', 18, 'run petstore quota\n'],
    ['run petstore quota', 17, 'run\n  petstore quota\n'],
    ['run petstore quota', 14, 'run\n  petstore quota\n'],
    ['use petstore pets get 1 instead', 12, 'use\n  petstore pets get 1\n  instead\n'],
    ["or petstore add 'Rex or Ada' to", 12, "or\n  petstore add 'Rex or Ada'\n  to\n"],
    ['petstore sets no such header', 16, 'petstore sets no\n  such header\n'],
    ['run petstore quota to see it', 24, 'run petstore quota to\n  see it\n'],
    ['run petstore quota, or wait', 26, 'run petstore quota, or\n  wait\n'],
    ['run export KEY="$(petstore auth token)"', 30, 'run\n  export KEY="$(petstore auth token)"\n'],
    ["run petstore api -H 'Key: 1' to add", 20, "run\n  petstore api -H 'Key: 1'\n  to add\n"],
    ['run petstore quota', undefined, 'run petstore quota\n'],
    ['a https://pets.example.com b', 10, 'a\n  https://pets.example.com\n  b\n'],
    ['✓ Added 猫猫 to a', 12, '✓ Added 猫猫\n  to a\n'],
    ['✓ Added 猫猫 to a', 11, '✓ Added\n  猫猫 to a\n'],
    ['', 10, '\n'],
  ])('wraps %j to %s columns', (text, width, expected) => {
    expect(wrapMessage(toSafeText(text), width)).toBe(expected);
  });

  test('starts the first line and the others with margins', () => {
    const margins = { first: '! ', rest: '    ' };
    expect(wrapMessage(toSafeText('one two'), 8, margins)).toBe('! one\n    two\n');
  });
});
