import { Secret } from '../config/secret.js';
import { usageError } from '../failure.js';
import { sha256Hex } from '../format/sha256.js';
import { addApiKey, findApiKey, generateApiKey, listApiKeys, revokeApiKey } from '../server/api-keys.js';
import { openDatabase } from '../server/open-database.js';
import type { AppContext } from './context.js';
import { checkDatabaseExists, mapDatabaseError, resolveDatabaseLocation } from './database.js';
import type { ServerKeys, ServerKeysOptions } from './server-control.js';

/** Opens the API keys in the database that `serve` would open. */
export async function openServerKeys(
  { create, ...options }: ServerKeysOptions,
  context: AppContext,
): Promise<ServerKeys> {
  const { clock, config } = context;
  const { nodeVersion, redactor } = context.runtime;
  if (options.database === ':memory:') {
    throw usageError(
      'invalid_flag',
      '--database :memory: does not persist API keys',
      'pass a file or a postgres:// URL',
    );
  }
  const { path, displayName, isFile } = resolveDatabaseLocation(options, config.paths, redactor);
  if (!create && isFile) checkDatabaseExists(path, options.database);
  const database = await mapDatabaseError(openDatabase({ path, clock, nodeVersion }));
  context.onClose(database.close);
  return {
    database: displayName,
    create: async ({ plan, limits, label }) => {
      const key = new Secret(generateApiKey());
      redactor.add(key);
      const { digest, prefix } = await mapDatabaseError(
        addApiKey(database, key.reveal(), limits, clock.now(), { plan, label }),
      );
      // `addApiKey` returns the existing API key if the label is taken.
      if (digest !== sha256Hex(key.reveal())) {
        throw usageError(
          'label_in_use',
          `the API key ${prefix}… has the label ${label} already`,
          'pass another --label, or revoke that API key first',
        );
      }
      return { key, prefix };
    },
    list: () => mapDatabaseError(listApiKeys(database, clock.now())),
    isKey: async (text) => (await mapDatabaseError(findApiKey(database, text))) !== undefined,
    revoke: (key) => mapDatabaseError(revokeApiKey(database, key)),
  };
}
