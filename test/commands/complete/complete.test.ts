import { expect, test } from 'vitest';
import { formatCompletion } from '../../../src/commands/complete/complete.js';

test('prints a line for each candidate, and the directive last', () => {
  const candidates = [{ value: 'list', description: 'List the pets.' }, { value: ':done' }];
  expect(formatCompletion({ candidates, directive: 'no-space' })).toBe(
    'list\tList the pets.\n:done\n:no-space\n',
  );
});

test.each(['a\nb', 'a\tb', '\u001b[2J', '\u009b2J', 'a\u202eb', 'a\u200bb', 'a\ud800'])(
  'leaves out %j, which a terminal must not show',
  (value) => {
    expect(formatCompletion({ candidates: [{ value }], directive: 'done' })).toBe(':done\n');
  },
);
