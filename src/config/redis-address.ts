import { decodePercent } from '../format/decode-text.js';

/** A parsed `redis://` or `rediss://` URL. */
export interface RedisAddress {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: number;
  /** The URL without password, in the form in which `parsePostgresUrl` shows a URL of PostgreSQL. */
  readonly displayUrl: string;
}

/** The text that describes a valid address in messages. Messages never repeat an address: it may hold a password. */
export const redisAddressRule = 'a redis:// or rediss:// URL, such as redis://user:password@host:6379/0';

/** Returns undefined if the text is not a valid address. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!/^rediss?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const database = /^\/?([0-9]{0,9})$/.exec(pathname)?.[1];
  if (!/^[\w.-]+$|^\[[\w:.]+\]$/.test(hostname) || database === undefined || search + hash !== '') return undefined;
  const [user, pass] = [username, password].map(decodePercent);
  if (user === undefined || pass === undefined) return undefined;
  const address = { isTls: protocol === 'rediss:', port: Number(port || 6379), database: Number(database) };
  // A username without a password is likely a password.
  const shownUser = user === '' || pass === '' ? '' : `${username}@`;
  return {
    ...address,
    host: hostname.replace(/^\[|\]$/g, ''),
    username: user,
    password: pass,
    displayUrl: `${protocol}//${shownUser}${hostname}:${address.port}/${address.database}`,
  };
}
