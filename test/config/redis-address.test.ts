import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/config/redis-address.js';

const defaults = {
  isTls: false,
  host: 'redis.example',
  port: 6379,
  username: '',
  password: '',
  database: 0,
  displayUrl: 'redis://redis.example:6379/0',
};
const tlsUrl = 'rediss://[::1]:7000/12';
const tls = { isTls: true, host: '::1', port: 7000, database: 12 };

test.each([
  ['redis://redis.example', {}],
  ['redis://redis.example/', {}],
  ['redis://redis.example:6379/0', {}],
  ['redis://:p%40ss@redis.example', { password: 'p@ss' }],
  ['redis://me:pw@redis.example', { displayUrl: 'redis://me@redis.example:6379/0', username: 'me', password: 'pw' }],
  ['redis://me@redis.example', { username: 'me' }],
  [tlsUrl, { ...tls, displayUrl: tlsUrl }],
])('parses %s', (text, parts) => {
  expect(parseRedisAddress(text)).toEqual({ ...defaults, ...parts });
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
