import { isLoopback } from '../api/http.js';
import type { BaseUrl } from '../config/base-url.js';
import type { Environment } from '../config/environment.js';
import { usageError } from '../failure.js';
import { decodePercent } from '../format/decode-text.js';

export interface HttpProxy {
  /** May contain user and password. */
  readonly url: string;
  /** The value of `NO_PROXY`: host names, separated by commas. */
  readonly noProxy: string;
}

/**
 * Returns the proxy that the environment sets for a base URL: `HTTP_PROXY` or `HTTPS_PROXY` by scheme, lowercase
 * names first, as in curl. Loopback addresses get none, since the API key would leave the machine unencrypted.
 * Throws (usage) on an invalid value, without printing it.
 */
export function findProxy({ origin }: BaseUrl, env: Environment): HttpProxy | undefined {
  const { protocol, hostname } = new URL(origin);
  if (isLoopback(hostname)) return undefined;
  const url = readProxyUrl(protocol === 'https:' ? 'https_proxy' : 'http_proxy', env);
  return url === '' ? undefined : { url, noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}

function readProxyUrl(name: string, env: Environment): string {
  const upper = name.toUpperCase();
  const text = (env[name] ?? env[upper] ?? '').trim();
  if (text === '') return '';
  const url = parseProxyUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url) return url;
  throw usageError(
    'invalid_proxy',
    `the variable ${upper} must be the http or https address of a proxy`,
    `for example ${upper}=http://proxy.example.com:3128`,
  );
}

/** Returns the URL without path and query, which a proxy ignores. */
function parseProxyUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, host } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (decodePercent(`${username}:${password}`) === undefined) return undefined;
  return `${protocol}//${username === '' ? '' : `${username}:${password}@`}${host}`;
}
