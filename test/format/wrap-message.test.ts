import { describe, expect, test } from 'vitest';
import { toSafeText } from '../../src/format/safe-text.js';
import { wrapMessage } from '../../src/format/wrap-message.js';

describe('wrapMessage', () => {
  test.each<[string, number | undefined, string]>([
    ['run petstore quota', 18, 'run petstore quota\n'],
    ['run petstore quota', 17, 'run\n  petstore quota\n'],
    ['run petstore quota', 14, 'run petstore\n  quota\n'],
    ['run petstore quota to see it', 24, 'run petstore quota to\n  see it\n'],
    ['run petstore quota, or wait', 26, 'run petstore quota, or\n  wait\n'],
    ['export KEY="$(petstore auth token)" now', 30, 'export KEY="$(petstore auth\n  token)" now\n'],
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
