import type { Context } from '../../ports/context.js';
import { Failure } from '../../ports/failure.js';
import { sandbox } from '../../ports/settings.js';
import type { Shown } from '../../ports/view.js';

/** Forgets a profile and its key; the key first, so that none is left behind without its profile. */
export async function remove(context: Context, name: string): Promise<Shown> {
  if (name === sandbox) {
    throw new Failure('usage', {
      code: 'embedded_profile',
      message: 'the sandbox is embedded and cannot be removed',
    });
  }
  context.profiles.get(name);
  const hadKey = await context.credentials.remove(name);
  await context.profiles.remove(name);
  context.notice(`profile ${name} is removed${hadKey ? ', and its key is forgotten' : ''}`);
  return { kind: 'nothing' };
}
