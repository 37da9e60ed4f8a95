import { dirname } from 'node:path';
import type { Paths } from '../config/paths.js';
import type { Redactor } from '../config/secret.js';
import { Secret } from '../config/secret.js';
import { usageError } from '../failure.js';
import { isPostgresUrl, mayContainPassword, parsePostgresUrl } from '../server/postgres-url.js';
import { makeDataDirectory } from './database-failure.js';

export interface DatabaseLocation {
  /** A file's path, `:memory:`, or the URL of a PostgreSQL. */
  readonly path: string;
  /** How it is named, without its password. */
  readonly shown: string;
  readonly isFile: boolean;
}

/** Where the database of `serve` is: as told, else in the data directory, which is made. */
export function resolveDatabaseLocation(
  told: string | undefined,
  paths: Paths,
  redactor: Redactor,
): DatabaseLocation {
  if (told === '') throw usageError('invalid_flag', '--database must name a file');
  if (told !== undefined && (isPostgresUrl(told) || mayContainPassword(told))) {
    return { path: told, shown: shownOf(told, redactor), isFile: false };
  }
  if (told === undefined) makeDataDirectory(dirname(paths.served));
  const path = told ?? paths.served;
  return { path, shown: path, isFile: path !== ':memory:' };
}

/** How the database is named, its password left out; fails (usage) on a URL that cannot be read. */
function shownOf(url: string, redactor: Redactor): string {
  const address = parsePostgresUrl(url);
  if (!address) {
    throw usageError(
      'invalid_flag',
      '--database must be a file, or a URL such as postgres://user@host:5432/name',
      'write @ : / ? # in a password as %40 %3A %2F %3F %23',
    );
  }
  if (address.password !== undefined) redactor.add(new Secret(address.password));
  return address.displayUrl;
}
