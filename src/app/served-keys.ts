import { existsSync } from 'node:fs';
import { Secret } from '../config/secret.js';
import { usageError } from '../failure.js';
import { addKey, createKey, findKey, listKeys, revokeKey } from '../server/keys.js';
import { openDatabase } from '../server/open-database.js';
import type { AppContext } from './context.js';
import { openCounter } from './counter.js';
import { inWords } from './database-failure.js';
import { databasePlace } from './database-place.js';
import type { ServedKeys, ServedKeysOptions } from './serve-types.js';

/** The keys of the database that `serve` would open. */
export async function openKeys(
  { database: told, meters: address, make }: ServedKeysOptions,
  context: AppContext,
): Promise<ServedKeys> {
  const { clock, config } = context;
  const { nodeVersion, redactor } = context.runtime;
  if (told === ':memory:') {
    throw usageError(
      'invalid_flag',
      '--database :memory: ends with its process, and its keys with it',
    );
  }
  const { path, shown, isFile } = databasePlace(told, config.paths, redactor);
  if (!make && isFile && !existsSync(path)) {
    throw usageError(
      'no_database',
      `there is no database ${path}`,
      'petstore serve makes it, and petstore serve keys create does; --database names another',
    );
  }
  const counter = address && (await openCounter(address, { clock, redactor }));
  const database = await inWords(openDatabase({ path, clock, nodeVersion })).catch(
    (error: unknown) => {
      counter?.close();
      throw error;
    },
  );
  context.onClose(async () => {
    counter?.close();
    await database.close();
  });
  return {
    database: shown,
    create: async ({ plan, limits, label }) => {
      const key = new Secret(createKey());
      redactor.add(key);
      const { prefix } = await inWords(
        addKey(database, key.reveal(), limits, clock.now(), { plan, label }),
      );
      return { key, prefix };
    },
    list: () => inWords(listKeys(database, clock.now(), counter?.meters)),
    isKey: async (text) => (await inWords(findKey(database, text))) !== undefined,
    revoke: (key) => inWords(revokeKey(database, key, counter?.meters)),
  };
}
