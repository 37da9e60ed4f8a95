import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { usageError } from '../failure.js';
import { formatShellWord } from '../format/shell.js';
import { backUpSqlite } from '../server/backup-sqlite.js';
import type { AppContext } from './context.js';
import { checkDatabaseExists, mapDatabaseError, resolveDatabaseLocation } from './database.js';
import type { Backup, BackupOptions } from './server-control.js';

/** Copies the database that `serve` would open to a file, which appears only once it is complete. */
export async function backUpServer({ file, force, ...options }: BackupOptions, context: AppContext): Promise<Backup> {
  const { config, runtime, signal } = context;
  const { path, displayName, isFile } = resolveDatabaseLocation(options, config.paths, runtime.redactor);
  if (path === ':memory:') {
    throw usageError('invalid_flag', '--database :memory: has no file to back up', 'pass the file of a database');
  }
  if (!isFile) {
    const words = ['pg_dump', '--format=custom', `--file=${file}`, displayName];
    throw usageError(
      'not_sqlite',
      `${displayName} is a PostgreSQL database, and serve backup copies SQLite databases only`,
      `run ${words.map(formatShellWord).join(' ')}`,
    );
  }
  checkDatabaseExists(path, options.database);
  checkTarget(file, path);
  // Private, because the copy has the digests of the API keys.
  const target = await (await context.files()).createFile(file, { force, mode: 0o600 });
  try {
    const counts = await mapDatabaseError(backUpSqlite(path, target.temporaryPath, runtime.nodeVersion, file));
    // SQLite has blocked the process, so a signal may have arrived. The next turn of the event loop receives it.
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
    signal.throwIfAborted();
    const { size } = statSync(target.temporaryPath);
    await target.commit();
    return { ...counts, bytes: size, database: displayName };
  } finally {
    await target.discard();
  }
}

/** Throws a usage error if the file cannot hold a backup, because it is a device, a pipe or part of a database. */
function checkTarget(file: string, database: string): void {
  const hint = 'pass the path of a new file';
  if (file === '' || file === '-') {
    throw usageError('unwritable_output', 'a backup is written to a file, not to standard output', hint);
  }
  const existing = statOf(file);
  if (existing && !existing.isFile() && !existing.isDirectory()) {
    throw usageError('unwritable_output', `cannot write ${file}: not a regular file`, hint);
  }
  const directory = statOf(dirname(file));
  const parts = ['', '-wal', '-shm', '-journal'].map((suffix) => `${realpathSync(database)}${suffix}`);
  const isPart = (part: string) =>
    isSame(existing, statOf(part)) || (isSame(directory, statOf(dirname(part))) && basename(file) === basename(part));
  if (parts.some(isPart)) {
    throw usageError('unwritable_output', `cannot write ${file}: it is a file of the database itself`, hint);
  }
  const target = existing ? realpathSync(file) : file;
  // SQLite would apply their changes to the copy.
  const journal = [`${target}-wal`, `${target}-journal`].find((path) => statOf(path));
  if (journal) {
    throw usageError('unwritable_output', `cannot write ${file}: ${journal} has changes of another database`, hint);
  }
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}
