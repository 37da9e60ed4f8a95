import type { Context } from '../../ports/context.js';
import { usage } from '../../ports/failure.js';
import type { Shown } from '../../ports/view.js';

/** The key that would be used, in clear. */
export async function token(context: Context): Promise<Shown> {
  const { key, problem } = await context.account();
  if (!key) throw problem ?? usage('no_key', 'the sandbox makes its key when it is first used');
  const revealed = key.reveal();
  return {
    kind: 'record',
    columns: [{ key: 'token' }],
    record: { token: revealed },
    text: `${revealed}\n`,
  };
}
