import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { usageError } from '../../failure.js';

/** The key that would be used, in clear. */
export async function token(context: AppContext): Promise<CommandResult> {
  const { key, problem } = await context.config.account();
  if (!key)
    throw problem ?? usageError('no_key', 'the sandbox makes its key when it is first used');
  const revealed = key.reveal();
  return {
    kind: 'record',
    columns: [{ key: 'token' }],
    record: { token: revealed },
    text: `${revealed}\n`,
  };
}
