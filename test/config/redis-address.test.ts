import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/config/redis-address.js';

const shown = 'redis://redis.example:6379/0';

test.each([
  ['redis://redis.example', '', shown],
  ['redis://redis.example/', '', shown],
  ['redis://:p%40ss@redis.example', 'p@ss', shown],
  ['redis://me:pw@redis.example', 'pw', 'redis://me@redis.example:6379/0'],
  ['redis://me@redis.example', '', shown],
  ['rediss://[::1]:7000/12', '', 'rediss://[::1]:7000/12'],
])('parses %s', (url, password, displayUrl) => {
  expect(parseRedisAddress(url)).toEqual({ url, password, displayUrl });
});

test.each([
  '',
  'http://redis.example',
  'redis://:pw@',
  'redis://:p/w@redis.example',
  'redis://redis.example/nine',
  'redis://redis.example/0?db=1',
  'redis://redis.example:99999',
  'redis://:%ff@redis.example',
  'redis://redis.example\u001b[2J',
  'redis://exämple',
])('rejects %j', (text) => {
  expect(parseRedisAddress(text)).toBeUndefined();
});
