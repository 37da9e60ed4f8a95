import { join } from 'node:path';
import type { Cluster } from './postgres.js';
import { openVirtualAddress } from './virtual-address.js';

/** Opens a TCP port of the cluster, through a network that can lose or close its connections. */
export async function openPostgresNetwork(cluster: Cluster) {
  const { port, switchTo, ...network } = await openVirtualAddress(socketOf(cluster));
  return {
    ...network,
    url: `postgres://petstore@127.0.0.1:${port}/postgres`,
    /** Forwards new connections to another cluster. Existing connections stay. */
    switchTo: (other: Cluster) => switchTo(socketOf(other)),
  };
}

function socketOf({ folder }: Cluster) {
  return { path: join(folder, '.s.PGSQL.5432') };
}
