import { decodePercent } from '../format/decode-text.js';

/** Parts of a PostgreSQL URL in the syntax of libpq: `postgres://user:password@host:port/name`. */
export interface PostgresUrl {
  /** URL without password and options. */
  readonly displayUrl: string;
  readonly password: string | undefined;
}

/** Returns whether a text is meant as a PostgreSQL URL, not as a file. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/** Returns whether a text may contain a password; if so, it is neither opened as a file nor printed. */
export function mayContainPassword(text: string): boolean {
  return /^[^/]*:\/\/|\bpassword\s*=|^[\s"'<]+postgres(ql)?:/i.test(text);
}

/**
 * Parses a URL; returns `undefined` if it is invalid or ambiguous. After an unescaped `@` or `/` in a password, the rest
 * of the password would be taken for the host, and printed.
 */
export function parsePostgresUrl(text: string): PostgresUrl | undefined {
  const match =
    /^(postgres(?:ql)?:\/\/)(?:([^:@/?#\s]*)(?::([^:@/?#\s]*))?@)?([^@/?#\s]*)(\/[^@?#\s]*)?(?:\?([^@#\s]*))?$/i.exec(
      text,
    );
  if (!match || /\p{Cc}/u.test(text) || decodePercent(text) === undefined) return undefined;
  const [, scheme = '', user = '', password, authority = '', name = '', query = ''] = match;
  const ports = authority.matchAll(/:([^:\]]*)(?=$|,)/g);
  if ([...ports].some(([, port = '']) => !/^\d{0,5}$/.test(port) || Number(port) > 65_535)) return undefined;
  const options = new URLSearchParams(query);
  const host = options.get('host');
  const socket = host === null ? '' : `?host=${host}`;
  // Decoded already, unlike the password before the host.
  const passwordOption = options.get('password') ?? undefined;
  return {
    displayUrl: `${scheme}${user === '' ? '' : `${user}@`}${authority}${name}${socket}`,
    password: password === undefined ? passwordOption : decodePercent(password),
  };
}
