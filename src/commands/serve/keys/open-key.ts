import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions, ServerKeys } from '../../../app/server-control.js';
import { type Failure, type HintParts, usageError } from '../../../failure.js';
import { findSimilar } from '../../../format/suggest.js';
import type { ApiKeyStatus } from '../../../server/list-api-keys.js';
import { databaseFlag, looksLikeKey } from './list.js';

/** Opens the API keys for a command and finds the one that the user named. */
export async function openKey(
  context: AppContext,
  name: string,
  database: DatabaseOptions,
): Promise<{ readonly keys: ServerKeys; readonly key: ApiKeyStatus }> {
  if (looksLikeKey(name)) throw fullKeyError(database);
  const keys = await context.server.openKeys({ ...database, create: false });
  return { keys, key: await findKey(keys, name, database) };
}

/** Returns how messages name a key. */
export function describeKey({ prefix, label }: Pick<ApiKeyStatus, 'prefix' | 'label'>): string {
  return label === undefined ? `${prefix}…` : `${prefix}… (${label})`;
}

/** Returns the only key with this prefix or label. Errors repeat `name` only if a label is similar: it may be a secret. */
async function findKey(keys: ServerKeys, name: string, database: DatabaseOptions): Promise<ApiKeyStatus> {
  if (await keys.isKey(name)) throw fullKeyError(database);
  const all = await keys.list();
  const matches = all.filter((key) => hasName(key, name));
  const [key, other] = matches;
  if (key && !other) return key;
  const list = { words: ['serve', 'keys', 'list', ...databaseFlag(database)] };
  const hint = ['run ', list, ' to see the first characters and the label of each API key'];
  if (!key) throw unknownKeyError(name, all, hint);
  throw usageError('unknown_key', `${matches.length} API keys have this label or start with these characters`, hint);
}

function unknownKeyError(name: string, keys: readonly ApiKeyStatus[], hint: HintParts): Failure {
  const labels = keys.flatMap(({ label }) => label ?? []);
  const similar = findSimilar(name, labels);
  if (similar !== undefined) {
    return usageError('unknown_key', `no API key has the label "${name}"`, `did you mean "${similar}"?`);
  }
  return usageError('unknown_key', 'no API key has this label or starts with these characters', hint);
}

function hasName({ prefix, label }: ApiKeyStatus, name: string): boolean {
  const start = name.replace(/…$/, '');
  return label === name || (start !== '' && prefix.startsWith(start));
}

function fullKeyError(database: DatabaseOptions): Failure {
  return usageError(
    'unknown_key',
    'the argument is a full API key, which is now visible to other users and in the shell history',
    [
      'pass its first characters or its label; run ',
      { words: ['serve', 'keys', 'list', ...databaseFlag(database)] },
      ' to see them',
    ],
  );
}
