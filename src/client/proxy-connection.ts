import type { buildConnector, Dispatcher } from 'undici';
import connectBy from 'undici/lib/api/api-connect.js';
import connectorOf from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import type { HttpProxy } from './proxy-types.js';
import { type Around, type Connections, givenUpBy } from './send.js';

/** Connections through a tunnel that a proxy makes, so that it sees neither key nor answer of an https origin. */
export function connectThrough(
  { address, none }: HttpProxy,
  options: Client.Options,
  around: Around,
): Connections {
  const unwanted = new AbortController();
  const connect: object = { ...(options.connect as object), signal: unwanted.signal };
  const agent = new EnvHttpProxyAgent({
    ...options,
    connect: around(connectorOf(connect)),
    httpProxy: address,
    httpsProxy: address,
    noProxy: none,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin, given) => {
      const { connect: toProxy } = given as { readonly connect: buildConnector.connector };
      return telling(new Client(origin, { ...options, connect: around(toProxy) }));
    },
  });
  return givenUpBy(() => unwanted.abort(), agent);
}

/** undici says in words alone that a proxy refuses; here it is a code, told apart from those of the origin. */
function telling(proxy: Client): Client {
  return Object.assign(proxy, {
    connect: async (options: Dispatcher.ConnectOptions) => {
      // A client has no such method unless the whole package is loaded.
      const { socket, statusCode } = await connectBy.call(proxy, options).catch((cause: Error) => {
        throw proxyError('PROXY_UNREACHABLE', cause);
      });
      // A tunnel is silent until something is sent into it; a page in its place is no tunnel.
      if (statusCode === 200 && socket.readableLength === 0) return { socket, statusCode };
      socket.on('error', () => {}).destroy();
      throw proxyError(statusCode === 407 ? 'PROXY_AUTHENTICATION' : 'PROXY_REFUSED');
    },
  });
}

function proxyError(code: string, cause?: Error): Error {
  return Object.assign(new Error(`no tunnel: ${code}`, { cause }), { code });
}
