import type { PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import { getTargetFlags } from '../../../config/settings.js';
import { Failure, usageError } from '../../../failure.js';
import { formatHint } from '../../../format/hint.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import { addEnableHint } from '../../../terminal/prompter.js';
import { add } from '../add.js';
import { addCreatedPet, type BrowseState } from './model.js';
import { openSession } from './session.js';

/** Shows the pets on the full screen until the user quits. */
export async function browse(context: AppContext): Promise<void> {
  const screen = await context.terminal.openScreen();
  checkInteractive(context, screen);
  const session = await openSession(context, screen);
  const showAll = async () => {
    while ((await session.show()) === 'add') session.update(await addPet(context));
  };
  const work = showAll().finally(session.close);
  // After a signal, the outcome of an add must be shown.
  context.runtime.holdEnd(work);
  await work.catch((error) => {
    throw toSilentFailure(error);
  });
}

function checkInteractive({ settings }: AppContext, { isInteractive, disableReason }: FullScreen): void {
  if (isInteractive) return;
  const list = { words: ['pets', 'list', ...getTargetFlags(settings)] };
  throw usageError(
    'no_terminal',
    `pets browse ${disableReason ? `is disabled, because ${disableReason.clause}` : 'requires an interactive terminal'}`,
    addEnableHint(['run ', list, ' instead'], disableReason),
  );
}

/** Runs `pets add` on the normal screen, where a failure stays readable after the end. Returns what it changes. */
async function addPet(context: AppContext): Promise<(state: BrowseState) => Partial<BrowseState>> {
  try {
    const result = await add(context, {});
    const pet = (result.kind === 'record' ? result.record : {}) as PetRecord;
    return (state) => addCreatedPet(state, pet);
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error;
    if (error.kind === 'canceled') return () => ({ message: { text: 'Canceled. Nothing was added.' } });
    const { hint } = error.details;
    const text = hint === undefined ? error.message : `${error.message} (${formatHint(hint)})`;
    context.terminal.fail(text);
    return () => ({ message: { text, severity: 'error' } });
  }
}

/** Ctrl-C is a usual way to leave a full screen: it needs no message, unless it has canceled an add. */
function toSilentFailure(reason: unknown): unknown {
  if (!(reason instanceof Failure) || reason.details.signal !== 'SIGINT' || reason.details.effect) return reason;
  return new Failure(reason.kind, { ...reason.details, isSilent: true });
}
