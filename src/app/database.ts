import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory, writeFailure } from '../config/files.js';
import type { Paths } from '../config/paths.js';
import { type Redactor, Secret } from '../config/secret.js';
import { usageError } from '../failure.js';
import { generateApiKey } from '../server/api-keys.js';
import { openDatabase } from '../server/open-database.js';
import { isPostgresUrl, mayContainPassword, parsePostgresUrl } from '../server/postgres-url.js';
import type { AppContext } from './context.js';
import type { DatabaseOptions, ServerDatabase } from './server-control.js';

/**
 * Returns the location of a server's database: the value of `--database`, else a file in the data directory. The display
 * name is the path or URL without its password.
 */
export function resolveDatabaseLocation({ database: given }: DatabaseOptions, paths: Paths, redactor: Redactor) {
  if (given === '')
    throw usageError('invalid_flag', '--database must name a file', 'pass a file, a postgres:// URL or :memory:');
  if (given !== undefined && (isPostgresUrl(given) || mayContainPassword(given))) {
    return { path: given, displayName: redactPassword(given, redactor), isFile: false };
  }
  const path = given ?? paths.served;
  return { path, displayName: path, isFile: path !== ':memory:' };
}

/** Creates the data directory if the database is in it. Throws a failure if that is not possible. */
export function prepareDatabaseDirectory(path: string, { served }: Pick<Paths, 'served'>): void {
  if (path === served) makeDataDirectory(dirname(served));
}

/** Throws a usage error if there is no database at the path. `given` is the value of `--database`. */
function checkDatabaseExists(path: string, given: string | undefined): void {
  if (existsSync(path)) return;
  const flag = given === undefined ? [] : ['--database', path];
  throw usageError('no_database', `database ${path} does not exist`, [
    'run ',
    { words: ['serve', ...flag] },
    ' to create the database, or pass another --database',
  ]);
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

/** Opens the database that `serve` would open; it is closed with the context. */
export async function openServerDatabase(
  { create, ...options }: DatabaseOptions & { readonly create: boolean },
  { clock, config: { paths }, runtime, terminal, onClose }: AppContext,
): Promise<ServerDatabase> {
  if (options.database === ':memory:') {
    const hint = 'pass a file or a postgres:// URL';
    throw usageError('invalid_flag', '--database :memory: does not persist API keys', hint);
  }
  const { path, displayName, isFile } = resolveDatabaseLocation(options, paths, runtime.redactor);
  if (create) prepareDatabaseDirectory(path, paths);
  else if (isFile) checkDatabaseExists(path, options.database);
  const isNew = isFile && !existsSync(path);
  const database = await openDatabase({ path, clock, nodeVersion: runtime.nodeVersion });
  onClose(database.close);
  if (isNew) terminal.notice(`Created the database ${displayName}.`);
  const generateKey = () => {
    const key = new Secret(generateApiKey());
    runtime.redactor.add(key);
    return key;
  };
  return { database, displayName, generateKey };
}

/** Creates the directory of a database; throws a failure (system) if it cannot. */
export function makeDataDirectory(path: string): void {
  try {
    makeDirectory(path);
  } catch (error) {
    throw writeFailure(path, error);
  }
}
