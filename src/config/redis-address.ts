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

const defaultPort = 6379;

/** Returns undefined if the text is not a valid address. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  if (!/^rediss?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const [, host = '', bareHost = host] = /^((?:[A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]+)\])$/.exec(url.hostname) ?? [];
  const database = /^\/?([0-9]{0,9})$/.exec(url.pathname)?.[1];
  const hasExtra = url.search !== '' || url.hash !== '';
  if (host === '' || database === undefined || hasExtra) return undefined;
  const port = Number(url.port || defaultPort);
  // A username without a password is likely a password.
  const user = url.username === '' || url.password === '' ? '' : `${url.username}@`;
  try {
    return {
      isTls: url.protocol === 'rediss:',
      host: bareHost,
      port,
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: Number(database),
      displayUrl: `${url.protocol}//${user}${host}:${port}/${Number(database)}`,
    };
  } catch {
    return undefined;
  }
}
