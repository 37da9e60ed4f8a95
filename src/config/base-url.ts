import { isLoopback } from '../api/http.js';
import { usageError } from '../failure.js';
import { type Environment, readBooleanVariable } from './environment.js';

export interface BaseUrl {
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string;
  /** The path without a trailing slash: `/v1`, or empty. */
  readonly path: string;
  /** Problems that do not prevent its use. */
  readonly warnings: readonly string[];
}

/** Parses a base URL. Its messages never contain the text, which may include a password. */
export function parseBaseUrl(text: string, env: Environment): BaseUrl {
  const source = text === env.PETSTORE_BASE_URL ? ' in PETSTORE_BASE_URL' : '';
  const invalid = (rule: string, hint?: string) => usageError('invalid_setting', `the base URL${source} ${rule}`, hint);
  // Compiling the second expression, with all of Unicode, takes long.
  const isVisible = /^[!-~]+$/.test(text) || /^[^\s\p{C}]+$/u.test(text);
  const url = isVisible && URL.canParse(text) ? new URL(text) : undefined;
  // A URL parser accepts `https:/host`, too.
  if (!url || !/^https?:\/\//i.test(text)) {
    throw invalid('must be an absolute http or https URL', 'use a URL such as https://api.example.com/v1');
  }
  if (/^[A-Za-z]+:\/*[^/]*@/.test(text)) {
    throw invalid('must not contain a user name or password', 'remove the user name and password');
  }
  if (/[?#]/.test(text)) throw invalid('must not contain a query or fragment');
  if (url.pathname.includes('//')) throw invalid('must not contain an empty path segment');
  const isUnencrypted = url.protocol === 'http:' && !isLoopback(url.hostname);
  if (isUnencrypted && !readBooleanVariable(env, 'PETSTORE_ALLOW_HTTP')) {
    const hint = 'use https, or set PETSTORE_ALLOW_HTTP=1 to allow http';
    throw invalid('must use https, because http exposes the API key to the network', hint);
  }
  const path = url.pathname.replace(/\/$/, '');
  const warnings: string[] = [];
  if (isUnencrypted) warnings.push(`the API key is sent unencrypted to ${url.host}`);
  if (!versionAtEnd.test(path)) {
    warnings.push('the base URL does not end in a version segment such as /v1');
  }
  return { origin: url.origin, path, warnings };
}

const versionAtEnd = /\/v[0-9]+$/;
