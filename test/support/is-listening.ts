import { connect, type NetConnectOpts } from 'node:net';

/** Returns whether a connection to a port or socket succeeds. */
export function isListening(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
