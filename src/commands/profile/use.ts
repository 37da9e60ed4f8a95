import type { Context } from '../../ports/context.js';
import { Failure } from '../../ports/failure.js';
import { sourceOf } from '../../ports/settings.js';
import type { Shown } from '../../ports/view.js';

/** Makes a profile the current one, and says what may still override it. */
export async function use(context: Context, name: string | undefined): Promise<Shown> {
  if (name === undefined) {
    throw new Failure('usage', {
      code: 'missing_argument',
      message: 'pass the name of a profile',
      hint: 'petstore profile list shows them',
    });
  }
  await context.profiles.use(name);
  context.notice(`the current profile is now ${name}`);
  if (
    sourceOf(context.settings, 'profile') === 'environment' &&
    context.settings.profile !== name
  ) {
    context.warning(`PETSTORE_PROFILE still chooses ${context.settings.profile}`);
  }
  return { kind: 'nothing' };
}
