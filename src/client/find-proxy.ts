import { isLoopback } from '../api/http.js';
import { type Environment, invalidVariable } from '../config/environment.js';
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
export function findProxy({ origin }: { readonly origin: string }, env: Environment): HttpProxy | undefined {
  const { protocol, hostname } = new URL(origin);
  if (isLoopback(hostname)) return undefined;
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const text = (env[name] ?? env[name.toUpperCase()] ?? '').trim();
  if (text === '') return undefined;
  const url = parseProxyUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === undefined) {
    const hint = `set ${name.toUpperCase()} to a URL such as http://proxy.example.com:3128`;
    throw invalidVariable(name.toUpperCase(), 'must be an http or https URL of a proxy', hint);
  }
  return { url, noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}

/** Returns the URL without path and query, which a proxy ignores. */
function parseProxyUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, host } = new URL(text);
  if (!/^https?:$/.test(protocol) || decodePercent(`${username}:${password}`) === undefined) return undefined;
  return `${protocol}//${username === '' ? '' : `${username}:${password}@`}${host}`;
}
