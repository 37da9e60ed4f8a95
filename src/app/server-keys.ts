import { existsSync } from 'node:fs';
import { Secret } from '../config/secret.js';
import { Failure, usageError } from '../failure.js';
import { findApiKey, generateApiKey, prefixOf } from '../server/api-keys.js';
import { createApiKey, revokeApiKey, rotateApiKey, updateApiKey } from '../server/change-api-keys.js';
import { type ApiKeyStatus, listApiKeys } from '../server/list-api-keys.js';
import { openDatabase } from '../server/open-database.js';
import type { AppContext } from './context.js';
import {
  checkDatabaseExists,
  mapDatabaseError,
  prepareDatabaseDirectory,
  resolveDatabaseLocation,
} from './database.js';
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
  if (create) prepareDatabaseDirectory(path, config.paths);
  else if (isFile) checkDatabaseExists(path, options.database);
  const isNew = isFile && !existsSync(path);
  const database = await mapDatabaseError(openDatabase({ path, clock, nodeVersion }));
  context.onClose(database.close);
  if (isNew) context.terminal.notice(`Created the database ${displayName}.`);
  const list = () => mapDatabaseError(listApiKeys(database, clock.now()));
  const checkLabelIsFree = async (label: string | undefined, owner?: ApiKeyStatus) => {
    if (label === undefined) return;
    const other = (await list()).find((key) => key.label === label && key.digest !== owner?.digest);
    if (other) throw labelInUse(other, label);
  };
  const generate = () => {
    const key = new Secret(generateApiKey());
    redactor.add(key);
    return { key, prefix: prefixOf(key.reveal()) };
  };
  return {
    database: displayName,
    create: async ({ limits, ...details }) => {
      await checkLabelIsFree(details.label);
      const { key, prefix } = generate();
      const save = async () => {
        const now = clock.now();
        if (await mapDatabaseError(createApiKey(database, key.reveal(), limits, now, details))) return;
        await checkLabelIsFree(details.label);
        throw changedMeanwhile();
      };
      return { key, prefix, save };
    },
    rotate: (old, overlapMs) => {
      const { key, prefix } = generate();
      const save = async () => {
        const rotation = { key: key.reveal(), overlapMs, now: clock.now() };
        const expiresAt = await mapDatabaseError(rotateApiKey(database, old, rotation));
        if (expiresAt === undefined) throw changedMeanwhile();
        return expiresAt;
      };
      return { key, prefix, save };
    },
    list,
    isKey: async (text) => (await mapDatabaseError(findApiKey(database, text))) !== undefined,
    update: async (key, changes) => {
      if (await mapDatabaseError(updateApiKey(database, key, changes))) return;
      await checkLabelIsFree(changes.label, key);
      throw changedMeanwhile();
    },
    revoke: (key) => mapDatabaseError(revokeApiKey(database, key)),
  };
}

function labelInUse({ prefix }: ApiKeyStatus, label: string): Failure {
  return usageError(
    'label_in_use',
    `the API key ${prefix}… has the label ${label} already`,
    'pass another --label, or revoke that API key first',
  );
}

function changedMeanwhile(): Failure {
  return new Failure('system', {
    code: 'key_changed',
    message: 'another process changed the API keys at the same time, so nothing was changed',
    hint: 'retry',
  });
}
