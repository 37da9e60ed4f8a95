import { expect, test } from 'vitest';
import { parseRedisAddress } from '../../src/quota/redis-address.js';

const plain = {
  isEncrypted: false,
  host: 'redis.example',
  port: 6379,
  user: '',
  password: '',
  database: 0,
  place: 'redis://redis.example:6379/0',
  shown: 'redis://redis.example:6379/0',
};
const secret = { shown: 'redis://…@redis.example:6379/0' };

test.each([
  ['redis://redis.example', plain],
  ['redis://redis.example/', plain],
  ['redis://redis.example:6379/0', plain],
  ['redis://:p%40ss@redis.example', { ...plain, ...secret, password: 'p@ss' }],
  ['redis://me:pw@redis.example', { ...plain, ...secret, user: 'me', password: 'pw' }],
  ['redis://me@redis.example', { ...plain, ...secret, user: 'me' }],
  [
    'rediss://[::1]:7000/12',
    {
      ...plain,
      isEncrypted: true,
      host: '::1',
      port: 7000,
      database: 12,
      place: 'rediss://[::1]:7000/12',
      shown: 'rediss://[::1]:7000/12',
    },
  ],
])('%s is taken apart', (text, address) => {
  expect(parseRedisAddress(text)).toEqual(address);
});

test.each([
  '',
  'redis.example:6379',
  'http://redis.example',
  'unix:///run/redis.sock',
  'redis://',
  'redis://:pw@',
  'redis://:pw@/0',
  'redis://:p/w@redis.example',
  'redis://redis.example/nine',
  'redis://redis.example/0/1',
  'redis://redis.example/0?db=1',
  'redis://redis.example/0#1',
  'redis://redis.example:99999',
  'redis://:%ff@redis.example',
  'redis://redis example',
  'redis://redis.example\u001b[2J',
  'redis://exämple',
])('%j is none', (text) => {
  expect(parseRedisAddress(text)).toBeUndefined();
});
