import { expect, test } from 'vitest';
import { type GlobalFlags, getTargetFlags } from '../../src/config/settings.js';

const address = 'http://127.0.0.1:4010/v1';

test.each<[GlobalFlags, string[]]>([
  [{}, []],
  [{ profile: 'staging' }, ['--profile', 'staging']],
  [{ baseUrl: address }, ['--base-url', address]],
  [{ profile: 'staging', baseUrl: address, quiet: true }, ['--profile', 'staging', '--base-url', address]],
])('a command with the flags %j has the same target as one with %j', (flags, expected) => {
  expect(getTargetFlags(flags)).toEqual(expected);
});
