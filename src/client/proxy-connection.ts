import type { buildConnector, Dispatcher } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import type { HttpProxy } from '../config/environment.js';
import { abortConnectOnDestroy, type ConnectionPool, type ConnectorWrapper } from './send.js';

/** Opens connections through a CONNECT tunnel, which hides API key and responses of an https origin. */
export function connectThrough(
  { url, noProxy }: HttpProxy,
  options: Client.Options,
  wrapConnector: ConnectorWrapper,
): ConnectionPool {
  const connecting = new AbortController();
  const connect: object = { ...(options.connect as object), signal: connecting.signal };
  const agent = new EnvHttpProxyAgent({
    ...options,
    connect: wrapConnector(createConnector(connect)),
    httpProxy: url,
    httpsProxy: url,
    noProxy,
    requestTls: connect,
    proxyTls: connect,
    factory: (origin, clientOptions) => {
      const { connect: connectToService } = clientOptions as { readonly connect: buildConnector.connector };
      return new Client(origin, { ...options, connect: connectToService });
    },
    clientFactory: (origin, clientOptions) => {
      const { connect: connectToProxy } = clientOptions as {
        readonly connect: buildConnector.connector;
      };
      const client = new Client(origin, { ...options, connect: wrapConnector(connectToProxy) });
      return withProxyErrorCodes(client);
    },
  });
  return abortConnectOnDestroy(() => connecting.abort(), agent);
}

/** Gives errors of the proxy codes, since undici reports them by message only. */
function withProxyErrorCodes(proxy: Client): Client {
  return Object.assign(proxy, {
    connect: async (options: Dispatcher.ConnectOptions) => {
      // `Client` has no `connect` method unless the whole package is loaded.
      const request = requestTunnel.call(proxy, options);
      const { socket, statusCode } = await request.catch((cause: Error) => {
        throw proxyError('PROXY_UNREACHABLE', cause);
      });
      // A tunnel stays silent until the client sends; data means that the proxy sent a page instead.
      if (statusCode === 200 && socket.readableLength === 0) return { socket, statusCode };
      socket.on('error', () => {}).destroy();
      throw proxyError(statusCode === 407 ? 'PROXY_AUTHENTICATION' : 'PROXY_REFUSED');
    },
  });
}

function proxyError(code: string, cause?: Error): Error {
  return Object.assign(new Error(`no tunnel: ${code}`, { cause }), { code });
}
