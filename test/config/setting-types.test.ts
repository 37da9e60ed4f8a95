import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/config/redis-address.js';
import { secondsType } from '../../src/config/setting-types.js';

test.each([
  ['0', 0],
  ['0.5', 500],
  ['007', 7_000],
  ['86400', 86_400_000],
])('secondsType parses %j to %d ms', (text, ms) => {
  expect(secondsType(0, '').parse(text)).toBe(ms);
});

test.each(['', ' 1', '-1', '1e3', '.5', '5.', '1,5', 'NaN', '86400.1', '٠'])('secondsType rejects %j', (text) => {
  expect(secondsType(0, '').parse(text)).toBeUndefined();
});

const shown = 'redis://redis.example:6379/0';

test.each([
  ['redis://redis.example', '', shown],
  ['redis://:p%40ss@redis.example', 'p@ss', shown],
  ['redis://me:pw@redis.example', 'pw', 'redis://me@redis.example:6379/0'],
  ['redis://me@redis.example', '', shown],
  ['rediss://[::1]:7000/12', '', 'rediss://[::1]:7000/12'],
])('parses the address %s', (url, password, displayUrl) => {
  const address = parseRedisAddress(url);
  expect([address?.url.reveal(), address?.password.reveal(), address?.displayUrl]).toEqual([url, password, displayUrl]);
});

test.each([
  '',
  'http://redis.example',
  'redis://:pw@',
  'redis://redis.example/nine',
  'redis://redis.example/0?db=1',
  'redis://:%ff@redis.example',
  'redis://redis.example\u001b[2J',
  'redis://exämple',
])('rejects the address %j', (text) => {
  expect(parseRedisAddress(text)).toBeUndefined();
});
