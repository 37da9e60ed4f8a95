import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../config/files.js';
import type { Paths } from '../config/paths.js';
import { type Redactor, Secret } from '../config/secret.js';
import { usageError } from '../failure.js';
import { generateApiKey } from '../server/api-keys.js';
import { openDatabase } from '../server/open-database.js';
import { isPostgresUrl, mayContainPassword, parsePostgresUrl } from '../server/postgres-url.js';
import type { ServeFlags } from '../server/server-options.js';
import type { Parts } from './parts.js';

/** A file (default: one in the data directory), or a PostgreSQL URL. */
export type DatabaseOptions = Pick<ServeFlags, 'database'>;

/**
 * Finds the database of a server: the value of `--database`, else a file in the data directory, which `create` makes. Throws a
 * usage error for a missing file, unless `create`. The display name is the path or URL without its password.
 */
export function locateDatabase(
  { database: given }: DatabaseOptions,
  create: boolean,
  paths: Paths,
  redactor: Redactor,
) {
  if (given === '')
    throw usageError('invalid_flag', '--database must name a file', 'pass a file, a postgres:// URL or :memory:');
  if (given !== undefined && (isPostgresUrl(given) || mayContainPassword(given))) {
    return { path: given, displayName: redactPassword(given, redactor), isNew: false };
  }
  const path = given ?? paths.served;
  const isNew = path !== ':memory:' && !existsSync(path);
  if (isNew && !create) {
    const serve = { words: ['serve', ...(given === undefined ? [] : ['--database', path])] };
    const hint = ['run ', serve, ' to create the database, or pass another --database'];
    throw usageError('no_database', `database ${path} does not exist`, hint);
  }
  if (given === undefined) makeDirectory(dirname(path));
  return { path, displayName: path, isNew };
}

/** Returns the URL without its password; throws a usage error if it cannot be parsed. */
function redactPassword(url: string, redactor: Redactor): string {
  const address = parsePostgresUrl(url);
  if (!address) {
    throw usageError(
      'invalid_flag',
      '--database must be a file or a URL such as postgres://user@host:5432/name',
      'write @ : / ? # in a password as %40 %3A %2F %3F %23',
    );
  }
  if (address.password !== undefined) redactor.add(new Secret(address.password));
  return address.displayUrl;
}

/**
 * Opens the database that `serve` would open, also while a server runs on it. Without `create`, a missing one is a usage
 * error.
 */
export async function openServerDatabase(
  { create, ...options }: DatabaseOptions & { readonly create: boolean },
  { runtime, terminal, config, onClose }: Parts,
) {
  if (options.database === ':memory:') {
    const hint = 'pass a file or a postgres:// URL';
    throw usageError('invalid_flag', '--database :memory: does not persist API keys', hint);
  }
  const { clock, nodeVersion, redactor } = runtime;
  const { path, displayName, isNew } = locateDatabase(options, create, config.paths, redactor);
  const database = await openDatabase({ path, clock, nodeVersion });
  onClose(database.close);
  if (isNew) terminal.notice(`Created the database ${displayName}.`);
  const generateKey = () => {
    const key = new Secret(generateApiKey());
    redactor.add(key);
    return key;
  };
  return {
    database,
    /** The path or URL without its password. */
    displayName,
    /** The flag that selects the same database in another command. */
    databaseFlag: options.database === undefined ? [] : ['--database', displayName],
    /** Returns a new API key, which only the result of the command shows. */
    generateKey,
  };
}
