import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { describeBaseUrl } from '../../config/profile.js';
import { type Failure, usageError } from '../../failure.js';
import { verifyKey } from './verify-login.js';

/** Returns the API key in use and its source. With `check`, one request shows whether it is valid. */
export async function status(context: AppContext, { check }: { readonly check?: true }): Promise<void> {
  let account = await context.config.account();
  const failure = account.problem ?? (check ? await verifyKey(() => context.client()) : undefined);
  // The first request creates the API key of the sandbox.
  if (check && !account.key) account = await context.config.account();
  // Other failures say nothing about the key.
  const isChecked = check && (failure === undefined || failure.kind === 'auth');
  const { fields, readOnly } = context.settings;
  const hidden = fields ? [] : [...(isChecked ? [] : ['valid']), ...(readOnly ? [] : ['readOnly'])];
  const columns = context.columns.filter(({ key }) => !hidden.includes(key));
  const record = {
    profile: account.profile,
    baseUrl: describeBaseUrl(account.profile, account.baseUrl),
    key: account.key?.mask() ?? null,
    source: account.keySource ?? null,
    storage: account.storage ?? null,
    readOnly: readOnly !== undefined,
    ...(isChecked && { valid: failure === undefined }),
  };
  await context.print({ kind: 'record', columns, record }, failure);
}

/** Returns the API key in use, unmasked. */
export async function token(context: AppContext): Promise<CommandResult> {
  const { key, problem } = await context.config.account();
  if (!key) throw problem ?? unusedSandbox();
  const record = { token: key.reveal() };
  return { kind: 'record', columns: context.columns, record, text: () => `${record.token}\n` };
}

function unusedSandbox(): Failure {
  return usageError('no_key', 'the sandbox has no API key yet; the first request creates it', [
    'run ',
    { words: ['pets', 'list', '--profile', 'sandbox'] },
  ]);
}
