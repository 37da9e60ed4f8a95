import { usage } from '../ports/failure.js';
import type { BaseUrl } from '../ports/settings.js';
import { isLoopback } from './base-url.js';
import type { Environment } from './environment.js';

/**
 * The proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`; small letters win, as with
 * curl), or nothing where there are none. What is on this machine is never asked for through a proxy, since
 * the key would travel there unencrypted. Fails (usage) on an address that is none, without repeating it.
 */
export function proxiesFor(
  { origin }: BaseUrl,
  env: Environment,
): { readonly http: string; readonly https: string; readonly none: string } | undefined {
  if (isLoopback(new URL(origin).hostname)) return undefined;
  const http = proxyOf('http_proxy', env);
  const https = proxyOf('https_proxy', env);
  if (http === '' && https === '') return undefined;
  return { http, https, none: env.no_proxy ?? env.NO_PROXY ?? '' };
}

function proxyOf(name: string, env: Environment): string {
  const upper = name.toUpperCase();
  const text = (env[name] ?? env[upper] ?? '').trim();
  if (text === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const protocol = URL.canParse(address) ? new URL(address).protocol : undefined;
  if (protocol === 'http:' || protocol === 'https:') return address;
  throw usage(
    'invalid_proxy',
    `the variable ${upper} must be the http or https address of a proxy`,
    `for example ${upper}=http://proxy.example.com:3128`,
  );
}
