import type { buildConnector, Dispatcher } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import type { HttpProxy } from './find-proxy.js';
import { type Connection, type ConnectorWrapper, clientOptions } from './send.js';

/** Opens connections through a CONNECT tunnel, which hides API key and responses of an https origin. */
export function connectThrough({ url, noProxy }: HttpProxy, wrapConnector: ConnectorWrapper): Connection {
  const { connect } = clientOptions;
  return new EnvHttpProxyAgent({
    ...clientOptions,
    connect: wrapConnector(createConnector(connect)),
    httpProxy: url,
    httpsProxy: url,
    noProxy,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin, options) => {
      const { connect: connectToProxy } = options as { readonly connect: buildConnector.connector };
      return withTunnel(new Client(origin, { ...clientOptions, connect: wrapConnector(connectToProxy) }));
    },
  });
}

/** Adds the `connect` method, which only undici's whole package has. Its errors get codes, since undici reports texts. */
function withTunnel(proxy: Client): Client {
  return Object.assign(proxy, {
    connect: async (options: Dispatcher.ConnectOptions) => {
      const tunnel = await requestTunnel.call(proxy, options).catch(() => undefined);
      // A tunnel stays silent until the client sends; data means that the proxy sent a page instead.
      if (tunnel?.statusCode === 200 && tunnel.socket.readableLength === 0) return tunnel;
      tunnel?.socket.on('error', () => {}).destroy();
      const code = tunnel?.statusCode === 407 ? 'PROXY_AUTHENTICATION' : 'PROXY_FAILED';
      throw Object.assign(new Error('cannot open a tunnel'), { code });
    },
  });
}
