import { expect, test } from 'vitest';
import { createLimitHint } from '../../src/quota/limit-hint.js';

test.each<[string, string | undefined, number, number, string | undefined]>([
  ['a wait longer than may be', undefined, 60_000, 60_001, '--max-wait 61 waits for it'],
  ['a wait as long as may be', undefined, 60_000, 60_000, undefined],
  ['any wait where none may be', undefined, 0, 1, '--max-wait 1 waits for it'],
  ['an hour', undefined, 0, 3_600_000, '--max-wait 3600 waits for it'],
  ['more than an hour', undefined, 0, 3_600_001, undefined],
  ['no known wait', undefined, 60_000, Number.NEGATIVE_INFINITY, undefined],
  ['a way out', 'pay', 60_000, 60_000, 'pay'],
  ['a way out of hours', 'pay', 60_000, 7_200_000, 'pay'],
  ['two ways out', 'pay', 60_000, 61_000, 'pay; --max-wait 61 waits for it'],
])('of %s it is told what to do', (_, known, maxWait, wait, hint) => {
  expect(createLimitHint(known, maxWait)(wait)).toBe(hint);
});
