import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { unmapAddress } from './client-network.js';

/** Returns whether an address is that of a reverse proxy whose `X-Forwarded-For` header is believed. */
export type IsTrustedProxy = ReturnType<typeof proxyAddr.compile>;

/** Trusts the proxies in some networks, such as `10.0.0.0/8` or `::1`; returns `undefined` if one is malformed. */
export function trustProxies(networks: readonly string[]): IsTrustedProxy | undefined {
  try {
    return proxyAddr.compile([...networks]);
  } catch {
    return undefined;
  }
}

/** Returns the address of the client behind a trusted proxy: of several ones, each appends the address that it saw. */
export function findClient(incoming: IncomingMessage, isTrustedProxy: IsTrustedProxy): string | undefined {
  const address = proxyAddr(incoming, isTrustedProxy);
  return isIP(address) > 0 ? unmapAddress(address) : undefined;
}
