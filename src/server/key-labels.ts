import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDriver } from './sqlite.js';

/** Returns the labels of the keys in an SQLite database; creates and changes no file. */
export async function readKeyLabels(path: string, nodeVersion: string): Promise<readonly string[]> {
  // Opening a pipe would wait for a writer.
  if (!statSync(path).isFile()) return [];
  const Driver = await loadDriver(nodeVersion);
  const url = pathToFileURL(resolve(path));
  // Without a journal no process has the database open, and SQLite would leave an empty journal behind.
  url.search = existsSync(`${path}-wal`) ? 'mode=ro' : 'immutable=1';
  const connection = new Driver(url.href, { readOnly: true });
  try {
    const rows = connection
      .prepare('SELECT DISTINCT label FROM keys WHERE label IS NOT NULL ORDER BY label LIMIT 1000')
      .all();
    return rows.map(({ label }) => String(label));
  } finally {
    connection.close();
  }
}
