import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { unmapAddress } from './client-network.js';

/** The reverse proxies whose `X-Forwarded-For` header is believed. */
export interface TrustedProxies {
  readonly includes: (address: string) => boolean;
  /** Returns the address of the client behind a peer: of the proxies, only the trusted ones can have added it. */
  readonly findClient: (peer: string, forwardedFor: string | undefined) => string;
}

/** Returns the proxies in some networks, such as `10.0.0.0/8` or `::1`; `undefined` if one of them is malformed. */
export function parseTrustedProxies(networks: readonly string[]): TrustedProxies | undefined {
  // In one list, networks such as `::/64` would include all IPv4 addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) if (!addNetwork(lists, network)) return undefined;
  const includes = (address: string) => {
    if (networks.length === 0) return false;
    const parsed = parseAddress(address);
    if (parsed === undefined) return false;
    const family = familyOf(parsed);
    return lists[family].check(parsed, family);
  };
  return {
    includes,
    findClient: (peer, forwardedFor) => {
      if (forwardedFor === undefined || !includes(peer)) return peer;
      let client = peer;
      // Each proxy appends the address that it saw, so what a client invents is on the left.
      for (const entry of forwardedFor.split(',').slice(-maxProxies).reverse()) {
        const address = parseAddress(entry.trim());
        if (address === undefined) return peer;
        client = address;
        if (!includes(address)) break;
      }
      return client;
    },
  };
}

/** Parsing a header of 16 KB with only trusted addresses would take 14 ms. */
const maxProxies = 32;

function addNetwork(lists: Readonly<Record<'ipv4' | 'ipv6', BlockList>>, network: string): boolean {
  const [, text = '', length] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(network) ?? [];
  const address = isIP(text) > 0 ? parseAddress(text) : undefined;
  if (address === undefined) return false;
  const family = familyOf(address);
  const bits = family === 'ipv4' ? 32 : 128;
  // An IPv4 network that is written as IPv6.
  const offset = family === 'ipv4' && isIPv6(text) ? 96 : 0;
  const prefix = length === undefined ? bits : Number(length) - offset;
  if (prefix < 0 || prefix > bits) return false;
  lists[family].addSubnet(address, prefix, family);
  return true;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Returns an address without port, brackets and zone, an IPv4-mapped one as IPv4; `undefined` if it is malformed. */
function parseAddress(text: string): string | undefined {
  const [, bracketed, host = text] = /^\[([^\]]*)\](?::[0-9]{1,5})?$|^([0-9.]+):[0-9]{1,5}$/.exec(text) ?? [];
  const address = (bracketed ?? host).replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  return unmapAddress(new SocketAddress({ address, family: 'ipv6' }).address);
}
