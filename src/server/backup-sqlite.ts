import { resolve } from 'node:path';
import { DatabaseError } from './sql.js';
import { loadDriver } from './sqlite.js';
import { mapSqliteError } from './sqlite-errors.js';

/** What a backup contains. */
export interface BackupCounts {
  readonly pets: number;
  readonly keys: number;
}

/**
 * Copies a database as of one moment into an empty file, and checks the copy. Servers may read and write meanwhile:
 * the copy is one read transaction (sqlite.org/lang_vacuum.html#vacuuminto), which blocks this process. The backup API of
 * SQLite copies in steps, but starts again whenever a server writes. Rejects with `DatabaseError`,
 * which names the file `displayName`.
 */
export async function backUpSqlite(
  path: string,
  target: string,
  nodeVersion: string,
  displayName = target,
): Promise<BackupCounts> {
  const Driver = await loadDriver(nodeVersion);
  // Attached, because closing a connection can leave its file open (observed on Node 20), but detaching closes it.
  const connection = new Driver(':memory:');
  const run = (text: string, file: string) => {
    try {
      connection.exec(text);
    } catch (error) {
      const mapped = mapSqliteError(error, file);
      // The copy can only lack room; other problems are those of the database.
      throw mapped.reason === 'full' ? mapped : mapSqliteError(error, path);
    }
  };
  try {
    run(`PRAGMA busy_timeout = 5000; ATTACH ${quotePath(path)} AS source; PRAGMA source.user_version`, path);
    run(`VACUUM source INTO ${quotePath(target)}; DETACH source; ATTACH ${quotePath(target)} AS copy`, displayName);
    const [problem] = connection.prepare('PRAGMA copy.integrity_check(1)').all();
    if (problem?.integrity_check !== 'ok') {
      throw new DatabaseError('unusable', `the database ${path} is damaged: ${problem?.integrity_check}`);
    }
    const count = 'SELECT (SELECT COUNT(*) FROM copy.pets) AS pets, (SELECT COUNT(*) FROM copy.keys) AS keys';
    const { pets, keys } = connection.prepare(count).get() ?? {};
    run('DETACH copy', displayName);
    return { pets: Number(pets), keys: Number(keys) };
  } catch (error) {
    throw mapSqliteError(error, path);
  } finally {
    connection.close();
  }
}

/** Returns the path as a text of SQL. SQLite would parse some relative names as URIs. */
function quotePath(path: string): string {
  return `'${resolve(path).replaceAll("'", "''")}'`;
}
