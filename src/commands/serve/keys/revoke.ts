import type { AppContext } from '../../../app/context.js';
import type { ServerKeys } from '../../../app/server-control.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { canceledError, type Failure, usageError } from '../../../failure.js';
import type { ApiKeyStatus } from '../../../server/api-keys.js';
import { looksLikeKey } from './looks-like-key.js';
import type { DatabaseOptions } from './record.js';

/** Revokes a key, once someone has agreed. */
export async function revoke(
  context: AppContext,
  name: string,
  { database }: DatabaseOptions,
): Promise<CommandResult> {
  if (looksLikeKey(name)) throw keyInFull();
  const keys = await context.server.openKeys({ database, create: false });
  const key = await find(keys, name);
  const shown = describe(key);
  const agreed = await context.terminal.prompts.confirm({
    message: `Revoke the key ${shown}? Who uses it is refused from then on.`,
    missingInputMessage: `pass --yes to revoke the key ${shown}`,
    default: false,
  });
  if (!agreed) throw canceledError('the key stays as it is');
  await keys.revoke(key);
  context.terminal.notice(`the key ${shown} is revoked`);
  if ((await keys.list()).length === 0) {
    context.terminal.notice('no key is left; the next start of petstore serve makes one');
  }
  return { kind: 'nothing' };
}

/** The one key whose first characters, or whose label, this is. What was given is never repeated. */
async function find(keys: ServerKeys, name: string): Promise<ApiKeyStatus> {
  if (await keys.isKey(name)) throw keyInFull();
  const all = await keys.list();
  // A label may look like what another key is called exactly.
  const exact = all.filter((key) => exactly(key) === name.replace('…#', '#'));
  const found = exact.length > 0 ? exact : all.filter((key) => isNamed(key, name));
  const [key, other] = found;
  if (key && !other) return key;
  const hint = 'petstore serve keys list shows the first characters and the label of each key';
  if (!key) throw usageError('unknown_key', 'no key begins so, and none has this label', hint);
  throw usageError(
    'ambiguous_key',
    `${found.length} keys are named so: ${found.slice(0, mostTold).map(exactly).join(', ')}`,
    `name one of them exactly: petstore serve keys revoke '${exactly(key)}'`,
  );
}

function isNamed({ prefix, label }: ApiKeyStatus, name: string): boolean {
  const start = name.replace(/…$/, '');
  return label === name || (start !== '' && prefix.startsWith(start));
}

const mostTold = 5;

/** What no other key is called: the digits are its digest's. */
function exactly({ prefix, digest }: ApiKeyStatus): string {
  return `${prefix}#${digest.slice(0, 8)}`;
}

function describe({ prefix, label }: ApiKeyStatus): string {
  return label === undefined ? `${prefix}…` : `${prefix}… (${label})`;
}

function keyInFull(): Failure {
  return usageError(
    'key_in_full',
    'that is a key in full, which a command line must not hold: other users and the history of the shell see it',
    'name it by its first characters or its label, as petstore serve keys list shows them',
  );
}
