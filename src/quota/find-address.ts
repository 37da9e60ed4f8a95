import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

export interface LookupOptions {
  /** Name servers, if not the system's. */
  readonly servers?: readonly string[];
  /** How long one is waited for, in milliseconds. */
  readonly patience?: number;
}

/**
 * The address of a host. What the system looks up cannot be given up, and Node.js ends only with it: ten seconds
 * later where a name server is silent. So the system is asked only where it has the answer in a file, or where
 * a server has answered that it knows no such name as it stands: a list of domains may complete it.
 */
export async function findAddress(
  host: string,
  { servers, patience = 1_000 }: LookupOptions = {},
): Promise<string> {
  if (isIP(host) !== 0) return host;
  if (host !== 'localhost' && !isInHosts(host)) {
    const resolver = new Resolver({ timeout: patience, tries: 1 });
    if (servers) resolver.setServers(servers);
    const found = await resolver.resolve4(host).catch(ifUnknown);
    const address = (found ?? (await resolver.resolve6(host).catch(ifUnknown)))?.[0];
    if (address !== undefined) return address;
  }
  return (await lookup(host)).address;
}

function isInHosts(host: string): boolean {
  try {
    const names = readFileSync('/etc/hosts', 'utf8').toLowerCase().replaceAll(/#.*/g, '');
    return names.split(/\s+/).includes(host.toLowerCase());
  } catch {
    return false;
  }
}

/** Nothing where a server has answered; a silent one is a failure. */
function ifUnknown(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOTFOUND' && error.code !== 'ENODATA') throw error;
}
