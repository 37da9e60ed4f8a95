import { isLoopback } from '../api/http.js';
import { usageError } from '../failure.js';
import { type Environment, readBooleanVariable } from './environment.js';

/** A base URL taken apart: where requests go, and what their paths start with. */
export interface BaseUrl {
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string;
  /** The path without a slash at its end: `/v1`, or nothing. */
  readonly path: string;
  /** What a person should know about it, though it is used. */
  readonly warnings: readonly string[];
}

/** Checks a base URL; the message never repeats it, since it may hold a password. */
export function parseBaseUrl(text: string, env: Environment): BaseUrl {
  // The second expression knows all of Unicode, and takes a while to.
  const isVisible = /^[!-~]+$/.test(text) || /^[^\s\p{C}]+$/u.test(text);
  const url = isVisible && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw invalidBaseUrl(
      'must be a full http or https address',
      'for example https://api.example.com/v1',
    );
  }
  if (/^[A-Za-z]+:\/*[^/]*@/.test(text)) {
    throw invalidBaseUrl(
      'must not hold a user or a password',
      'petstore sends its API key and nothing else',
    );
  }
  if (/[?#]/.test(text)) throw invalidBaseUrl('must not hold a query or a fragment');
  if (url.pathname.includes('//')) throw invalidBaseUrl('must not hold an empty path segment');
  const plainHttp = url.protocol === 'http:' && !isLoopback(url.hostname);
  if (plainHttp && !readBooleanVariable(env, 'PETSTORE_ALLOW_HTTP')) {
    throw invalidBaseUrl(
      'must be https, since http shows the API key to the network',
      'PETSTORE_ALLOW_HTTP=1 allows it all the same',
    );
  }
  const path = url.pathname.replace(/\/$/, '');
  return {
    origin: url.origin,
    path,
    warnings: [
      ...(plainHttp ? [`the API key travels unencrypted to ${url.host}`] : []),
      ...(/\/v[0-9]+$/.test(path)
        ? []
        : ['the base URL does not end in a version segment such as /v1']),
    ],
  };
}

function invalidBaseUrl(rule: string, hint?: string) {
  return usageError('invalid_base_url', `the base URL ${rule}`, hint);
}
