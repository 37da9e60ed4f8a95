import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';

/**
 * Returns the IP address of a host, by default from the system's name servers. getaddrinfo cannot be canceled, and keeps
 * Node.js running for ten seconds if a name server does not respond. So it is used only if the name is in the hosts
 * file, or if a name server responded that it does not know the name, which a search domain may complete.
 */
export async function resolveHost(
  host: string,
  { servers, timeoutMs = 1_000 }: { servers?: readonly string[]; timeoutMs?: number } = {},
): Promise<string> {
  if (host !== 'localhost' && !isInHostsFile(host)) {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    if (servers) resolver.setServers(servers);
    const ipv4 = await resolver.resolve4(host).catch(ignoreUnknownName);
    const address = (ipv4 ?? (await resolver.resolve6(host).catch(ignoreUnknownName)))?.[0];
    if (address !== undefined) return address;
  }
  return (await lookup(host)).address;
}

function isInHostsFile(host: string): boolean {
  try {
    const names = readFileSync('/etc/hosts', 'utf8').toLowerCase().replaceAll(/#.*/g, '');
    return names.split(/\s+/).includes(host.toLowerCase());
  } catch {
    return false;
  }
}

function ignoreUnknownName(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOTFOUND' && error.code !== 'ENODATA') throw error;
}
