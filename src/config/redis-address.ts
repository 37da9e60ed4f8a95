import { decodePercent } from '../format/decode-text.js';
import { Secret } from './secret.js';
import type { SettingType } from './setting-types.js';

/** A valid `redis://` or `rediss://` URL, which @redis/client reads. */
export interface RedisAddress {
  readonly url: Secret;
  readonly password: Secret;
  /** The URL without password, in the form in which `parsePostgresUrl` shows a URL of PostgreSQL. */
  readonly displayUrl: string;
}

/** A setting with an address; empty for none. Messages never repeat an address: it may hold a password. */
export const redisAddressType: SettingType<RedisAddress | null> = {
  rule: 'a redis:// or rediss:// URL, such as redis://user:password@host:6379/0',
  parse: (text) => (text === '' ? null : parseRedisAddress(text)),
  show: (address) => address?.displayUrl ?? '',
};

/** Returns undefined if the text is not a valid address. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!/^rediss?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const database = /^\/?([0-9]{0,9})$/.exec(pathname)?.[1];
  if (!/^[\w.-]+$|^\[[\w:.]+\]$/.test(hostname) || database === undefined || search + hash !== '') return undefined;
  const [user, plainPassword] = [username, password].map(decodePercent);
  if (user === undefined || plainPassword === undefined) return undefined;
  // A username without a password is likely a password.
  const shownUser = user === '' || plainPassword === '' ? '' : `${username}@`;
  const displayUrl = `${protocol}//${shownUser}${hostname}:${port || 6379}/${database || 0}`;
  return { url: new Secret(text), password: new Secret(plainPassword), displayUrl };
}
