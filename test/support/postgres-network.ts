import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Cluster } from './postgres.js';

/** Opens a TCP port of the cluster, through a network that can lose or close its connections. */
export async function openPostgresNetwork({ folder }: Cluster) {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const backend = connect(join(folder, '.s.PGSQL.5432'));
    for (const socket of [client, backend]) socket.on('error', () => {});
    client.pipe(backend).pipe(client);
    pairs.add([client, backend]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeConnections = () => {
    for (const [client] of pairs) client.resetAndDestroy();
    pairs.clear();
  };
  onTestFinished(() => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    server.close();
  });
  return {
    url: `postgres://petstore@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    closeConnections,
    /** From now on, nothing that existing connections send arrives. */
    loseConnections: () => {
      for (const [client, backend] of pairs) {
        client.unpipe().resume();
        backend.unpipe().resume();
      }
    },
  };
}
