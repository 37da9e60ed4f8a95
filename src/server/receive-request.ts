import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LoggedRequest } from './logged-request.js';
import type { PacedConnection } from './paced-connection.js';
import { RequestAborted } from './responses.js';
import { maxBodyBytes, type ServerRequest } from './routes.js';
import type { TrustedProxies } from './trusted-proxies.js';

/** Returns a request of node:http in the form that handlers take; its body is read on demand. */
export function receiveRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { id, setKey }: LoggedRequest,
  trustedProxies?: TrustedProxies,
): ServerRequest {
  // `headers` drops duplicates of some fields silently; here a repeated field becomes a list.
  const fields = new Map<string, string[]>();
  const { rawHeaders } = incoming;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]];
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  const headers = Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]),
  );
  const { host, 'x-forwarded-proto': forwardedScheme } = incoming.headers;
  // Web pages have the scheme that the proxy serves.
  const isTls = forwardedScheme === 'https' && trustedProxies?.includes(connectionOf(incoming).remoteAddress);
  return {
    method: incoming.method ?? '',
    origin: `${isTls ? 'https' : 'http'}://${host}`,
    target: incoming.url ?? '',
    httpVersion: incoming.httpVersion,
    headers,
    readBody: () => readBody(incoming, outgoing),
    id,
    onKey: setKey,
  };
}

/** Returns the connection of a request: `acceptConnections` replaces the sockets of node:http. */
export function connectionOf({ socket }: IncomingMessage): PacedConnection {
  return socket as Duplex as PacedConnection;
}

/** Returns the body, or its beginning beyond `maxBodyBytes`. Rejects with `RequestAborted` if the client disconnects. */
async function readBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (incoming.headers.expect !== undefined) writeContinue(incoming, outgoing);
  connectionOf(incoming).releaseBody();
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > maxBodyBytes) break;
    }
  } catch (error) {
    throw new RequestAborted('the client disconnected', { cause: error });
  }
  return Buffer.concat(chunks);
}

/** HTTP/1.0 has no 1xx responses (RFC 9110 §10.1.1). */
export function writeContinue({ httpVersion }: IncomingMessage, outgoing: ServerResponse): void {
  if (httpVersion !== '1.0') outgoing.writeContinue();
}
