import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { usageError } from '../../failure.js';

export const columns: readonly Column[] = [{ key: 'token' }];

/** The key that would be used, in clear. */
export async function token(context: AppContext): Promise<CommandResult> {
  const { key, problem } = await context.config.account();
  if (!key)
    throw problem ?? usageError('no_key', 'the sandbox makes its key when it is first used');
  const revealed = key.reveal();
  return {
    kind: 'record',
    columns,
    record: { token: revealed },
    text: `${revealed}\n`,
  };
}
