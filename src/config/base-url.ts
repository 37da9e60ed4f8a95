import { isLoopback } from '../api/http.js';
import { usageError } from '../failure.js';
import { type Environment, readBooleanVariable } from './environment.js';

export interface BaseUrl {
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string;
  /** The path without a trailing slash: `/v1`, or empty. */
  readonly path: string;
  /** A problem that does not prevent its use. */
  readonly warning: string | undefined;
}

/** Parses a base URL. Its messages never contain the text, which may include a password. */
export function parseBaseUrl(text: string, env: Environment): BaseUrl {
  const source = text === env.PETSTORE_BASE_URL ? ' in PETSTORE_BASE_URL' : '';
  const invalid = (rule: string, hint?: string) => usageError('invalid_setting', `the base URL${source} ${rule}`, hint);
  // A URL parser accepts `https:/host` and line feeds, too.
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) {
    throw invalid('must be an absolute http or https URL', 'use a URL such as https://api.example.com/v1');
  }
  const url = new URL(text);
  if (/^[a-z]+:\/*[^/]*@/i.test(text)) {
    throw invalid('must not contain a user name or password', 'remove the user name and password');
  }
  if (/[?#]/.test(text)) throw invalid('must not contain a query or fragment');
  const isUnencrypted = url.protocol === 'http:' && !isLoopback(url.hostname);
  if (isUnencrypted && !readBooleanVariable(env, 'PETSTORE_ALLOW_HTTP')) {
    const hint = 'use https, or set PETSTORE_ALLOW_HTTP=1 to allow http';
    throw invalid('must use https, because http exposes the API key to the network', hint);
  }
  const warning = isUnencrypted ? `the API key is sent unencrypted to ${url.host}` : undefined;
  return { origin: url.origin, path: url.pathname.replace(/\/$/, ''), warning };
}
