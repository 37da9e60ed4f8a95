/** A `redis://` or `rediss://` address taken apart. */
export interface RedisAddress {
  readonly isEncrypted: boolean;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The number of the database. */
  readonly database: number;
  /** The address without user and password. */
  readonly place: string;
  /** The address as it may be shown: what stands before the `@` is hidden. */
  readonly shown: string;
}

/** What such an address must be; it is never repeated, since it may hold a password. */
export const redisAddressRule =
  'a redis:// or rediss:// address, such as redis://user:password@redis.example.com:6379/0';

/** Takes an address apart; nothing where it is none. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!/^rediss?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const [, host = '', bare = host] =
    /^((?:[A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]+)\])$/.exec(hostname) ?? [];
  const database = /^\/?([0-9]{0,9})$/.exec(pathname)?.[1];
  if (host === '' || database === undefined || search !== '' || hash !== '') return undefined;
  try {
    const user = decodeURIComponent(username);
    const secret = decodeURIComponent(password);
    const place = `${protocol}//${host}:${port || defaultPort}/${Number(database)}`;
    const isHidden = user !== '' || secret !== '';
    return {
      isEncrypted: protocol === 'rediss:',
      host: bare,
      port: Number(port || defaultPort),
      user,
      password: secret,
      database: Number(database),
      place,
      shown: isHidden ? place.replace('//', '//…@') : place,
    };
  } catch {
    return undefined;
  }
}

const defaultPort = 6379;
