import { expect, test } from 'vitest';
import { isKeyStored } from '../../src/quota/idempotency-support.js';

test.each([
  ['has', 'was just sent', 0, true],
  ['has', 'expires in more than a minute', 539_999, true],
  ['may not have', 'expires in a minute', 540_000, false],
  ['may not have', 'was sent before the clock was set back', -1, false],
])('a service %s a key that %s', (_has, _key, ageMs, isStored) => {
  expect(isKeyStored({ lifetimeMs: 600_000 }, ageMs)).toBe(isStored);
});
