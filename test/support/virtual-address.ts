import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Opens a TCP port that forwards to a server, as a network does that can lose or close its connections. */
export async function openVirtualAddress(first: NetConnectOpts) {
  let target = first;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const backend = connect(target);
    for (const socket of [client, backend]) socket.on('error', () => {});
    client.pipe(backend).pipe(client);
    backend.on('close', () => client.destroy());
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
    port: (server.address() as AddressInfo).port,
    closeConnections,
    /** From now on, nothing that existing connections send arrives. */
    loseConnections: () => {
      for (const [client, backend] of pairs) {
        client.unpipe().resume();
        backend.unpipe().resume();
      }
    },
    /** Forwards new connections to another server. Existing connections stay. */
    switchTo: (other: NetConnectOpts) => {
      target = other;
    },
  };
}
