import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { unmapAddress } from './client-network.js';

export interface TlsOptions {
  /** Returns the certificate and key for the next connection. */
  readonly secureContext: () => SecureContext;
  /** Called if a client fails to set up TLS: with a reason, and the address of the client. */
  readonly onHandshakeError: (reason: string, address: string) => void;
}

/**
 * Encrypts a connection. Unlike those of node:https, it can be served before the handshake is complete, so that the limits
 * and timeouts of connections include the handshake.
 */
export function encryptConnection(socket: Socket, { secureContext, onHandshakeError }: TlsOptions): TLSSocket {
  const address = unmapAddress(socket.remoteAddress ?? '');
  const encrypted = new TLSSocket(socket, {
    isServer: true,
    secureContext: secureContext(),
    ALPNProtocols: ['http/1.1'],
  });
  const onError = ({ code = '' }: NodeJS.ErrnoException) => {
    // Clients that only disconnect, such as port scanners, are not reported.
    if (code.startsWith('ERR_SSL_')) onHandshakeError(reasons[code] ?? code, address);
  };
  encrypted.on('error', onError);
  encrypted.once('secure', () => encrypted.off('error', onError));
  return encrypted;
}

const reasons: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'the client sent HTTP without TLS',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the client does not support TLS 1.2 or later',
};
