import { describe, expect, test } from 'vitest';
import { parseTrustedProxies } from '../../src/server/trusted-proxies.js';

describe('a network', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1'],
    ['10.1.2.3/8', '10.9.9.9'],
    ['192.0.2.7', '192.0.2.7'],
    ['0.0.0.0/0', '203.0.113.9'],
    ['10.0.0.0/8', '::ffff:10.0.0.1'],
    ['10.0.0.0/8', '::ffff:a00:1'],
    ['::ffff:10.0.0.0/104', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8::/32', '2001:db8:1::1'],
    ['2001:DB8::1', '2001:db8:0:0::1'],
    ['fe80::/10', 'fe80::1%eth0'],
    ['::1/128', '::1'],
  ])('%s includes %s', (network, address) => {
    expect(parseTrustedProxies([network])?.includes(address)).toBe(true);
  });

  test.each([
    ['10.0.0.0/8', '11.0.0.1'],
    ['192.0.2.7', '192.0.2.8'],
    ['2001:db8::/32', '2001:db9::1'],
    ['::/0', '10.0.0.1'],
    ['::/64', '::ffff:10.0.0.1'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['10.0.0.0/8', ''],
    ['10.0.0.0/8', 'x'],
  ])('%s does not include %j', (network, address) => {
    expect(parseTrustedProxies([network])?.includes(address)).toBe(false);
  });

  test.each([
    '',
    'x',
    'localhost',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.1:80',
    '[::1]',
    '::/129',
    '::ffff:10.0.0.0/95',
  ])('%j is malformed', (network) => {
    expect(parseTrustedProxies(['127.0.0.1', network])).toBeUndefined();
  });
});

describe('the client behind a proxy', () => {
  const { findClient } = parseTrustedProxies(['10.0.0.0/8', '2001:db8::/32']) as NonNullable<
    ReturnType<typeof parseTrustedProxies>
  >;

  test.each([
    ['the only address', '192.0.2.1', '192.0.2.1'],
    [
      'the 32nd address from the right, if all are trusted',
      `192.0.2.1, 10.0.0.3${', 10.0.0.2'.repeat(31)}`,
      '10.0.0.3',
    ],
    ['the right-most address that is not trusted', '192.0.2.9, 192.0.2.1, 10.0.0.2,2001:db8::2', '192.0.2.1'],
    ['the first address if all are trusted', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['an address with a port', '192.0.2.1:5000', '192.0.2.1'],
    ['an IPv6 address', '2001:DB9:0::1', '2001:db9::1'],
    ['an IPv6 address in brackets', '[2001:db9::1]', '2001:db9::1'],
    ['an IPv6 address with a port', '[2001:db9::1]:443', '2001:db9::1'],
    ['an IPv4 address written as IPv6', '::ffff:c000:201', '192.0.2.1'],
    ['the address that the proxy added, whatever precedes it', 'x, , 192.0.2.1', '192.0.2.1'],
    ['the proxy without the header', undefined, '10.0.0.1'],
    ['the proxy if the header is empty', '', '10.0.0.1'],
    ['the proxy if the last address is malformed', '192.0.2.1, unknown', '10.0.0.1'],
    ['the proxy if the last address is empty', '192.0.2.1,', '10.0.0.1'],
    ['the proxy if an address has no closing bracket', '[2001:db9::1', '10.0.0.1'],
    ['the proxy if the address before a trusted one is malformed', 'x, 10.0.0.2', '10.0.0.1'],
  ])('is %s', (_, forwardedFor, expected) => {
    expect(findClient('10.0.0.1', forwardedFor)).toBe(expected);
  });

  test('is a peer that is not trusted, whatever it sends', () => {
    expect(findClient('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7');
  });
});
