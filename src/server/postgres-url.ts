import { decodePercent } from '../format/decode-text.js';

/** Where a PostgreSQL is, in the form of libpq: `postgres://user:password@host:port/name`. */
export interface PostgresUrl {
  /** As it may be shown: without the password and without options. */
  readonly displayUrl: string;
  /** As it was given, where it holds one. */
  readonly password: string | undefined;
}

/** Whether a text means a PostgreSQL, and no file. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/** Whether a text, whatever it means, may hold a password: it is neither opened as a file nor repeated. */
export function mayContainPassword(text: string): boolean {
  return /^[^/]*:\/\/|\bpassword\s*=|^[\s"'<]+postgres(ql)?:/i.test(text);
}

/**
 * Takes an address apart, or gives nothing where it is none. What could be read in two ways is none: of a password
 * with a bare `@` or `/` in it, a part would be taken for the host, and shown.
 */
export function parsePostgresUrl(text: string): PostgresUrl | undefined {
  const match =
    /^(postgres(?:ql)?:\/\/)(?:([^:@/?#\s]*)(?::([^:@/?#\s]*))?@)?([^@/?#\s]*)(\/[^@?#\s]*)?(?:\?([^@#\s]*))?$/i.exec(
      text,
    );
  if (!match || /\p{Cc}/u.test(text) || decodePercent(text) === undefined) return undefined;
  const [, scheme = '', user = '', password, place = '', name = '', query = ''] = match;
  const options = new URLSearchParams(query);
  const host = options.get('host');
  const socket = host === null ? '' : `?host=${host}`;
  // What stands in the query is decoded already.
  const inQuery = options.get('password') ?? undefined;
  return {
    displayUrl: `${scheme}${user === '' ? '' : `${user}@`}${place}${name}${socket}`,
    password: password === undefined ? inQuery : decodePercent(password),
  };
}
