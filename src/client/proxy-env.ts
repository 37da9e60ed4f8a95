import { isLoopback } from '../api/loopback.js';
import type { BaseUrl } from '../config/base-url.js';
import type { Environment } from '../config/environment.js';
import { usageError } from '../failure.js';
import { decodePercent } from '../format/decode-text.js';
import type { HttpProxy } from './proxy-types.js';

/**
 * The proxy that the environment names for an address (`HTTP_PROXY` or `HTTPS_PROXY` by its scheme, `NO_PROXY`;
 * small letters win, as with curl), or nothing where there is none. What is on this machine is never asked for
 * through a proxy, since the key would travel there unencrypted. Fails (usage) on an address that is none,
 * without repeating it.
 */
export function proxyFor({ origin }: BaseUrl, env: Environment): HttpProxy | undefined {
  const { protocol, hostname } = new URL(origin);
  if (isLoopback(hostname)) return undefined;
  const address = proxyOf(protocol === 'https:' ? 'https_proxy' : 'http_proxy', env);
  return address === '' ? undefined : { address, none: env.no_proxy ?? env.NO_PROXY ?? '' };
}

function proxyOf(name: string, env: Environment): string {
  const upper = name.toUpperCase();
  const text = (env[name] ?? env[upper] ?? '').trim();
  if (text === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const proxy = parseProxy(address);
  if (proxy) return proxy;
  throw usageError(
    'invalid_proxy',
    `the variable ${upper} must be the http or https address of a proxy`,
    `for example ${upper}=http://proxy.example.com:3128`,
  );
}

/** Scheme, user, password, host and port; what stands behind them means nothing to a proxy. */
function parseProxy(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, host } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (decodePercent(`${username}:${password}`) === undefined) return undefined;
  return `${protocol}//${username === '' ? '' : `${username}:${password}@`}${host}`;
}
