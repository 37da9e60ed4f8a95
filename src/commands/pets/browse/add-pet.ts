import { createPet } from '../../../api/operations.js';
import type { NewPet } from '../../../api/pet.js';
import type { AppContext, Connection } from '../../../app/context.js';
import { Failure } from '../../../failure.js';
import { truncateToWidth } from '../../../format/display-width.js';
import { formatWait } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import type { Style } from '../../../terminal/output.js';
import { describeFailure } from './describe-failure.js';
import { type BrowseEvent, briefMessageMs } from './state.js';

interface AddPetDeps {
  readonly screen: FullScreen;
  readonly live: Connection;
  /** Cancels requests. */
  readonly signal: AbortSignal;
  readonly dispatch: (event: BrowseEvent) => void;
  /** Keeps the screen open until a task ends. */
  readonly track: (task: Promise<void>, onFailure: (failure: Failure) => Promise<void>) => void;
  readonly refreshQuota: () => Promise<void>;
}

/** Returns functions that add pets from the screen. */
export function createPetAdder(
  context: AppContext,
  { screen, live, signal, dispatch, track, refreshQuota }: AddPetDeps,
) {
  const { clock } = context;
  let lostCreate: Failure | undefined;
  /** The values of a pet that was not added. */
  let draft: Partial<NewPet> = {};
  const prompt = async () => {
    const { promptPet } = await import('../prompt-pet.js');
    const describeAdd = ({ heading, dim }: Style, columns: number) => {
      const title = toSafeText(context.terminal.redact(`Add a pet to ${live.label}`));
      return `${heading(truncateToWidth(title, columns - 1))}\n${dim('Esc goes back, then to the list.')}`;
    };
    return screen
      .showPrompts(describeAdd, () => promptPet(context, {}, draft))
      .catch((error: unknown) => {
        const isDeclined = error instanceof Failure && error.kind === 'canceled';
        if (!isDeclined || context.signal.aborted) throw error;
        return undefined;
      });
  };
  const create = async (pet: NewPet) => {
    const { value } = await live.client.call(createPet, pet);
    const request = `POST ${live.client.basePath}${createPet.path}`;
    dispatch({ kind: 'petCreated', pet: value, batch: { pets: [value], request, at: clock.now() } });
    await refreshQuota();
  };
  const reportFailure = async (failure: Failure, pet: NewPet) => {
    const isLost = signal.aborted || failure.kind === 'unknown-outcome';
    if (isLost) lostCreate ??= failure;
    else draft = pet;
    const { retryAt, ...details } = failure.details;
    const wait = retryAt === undefined ? '' : ` in ${formatWait(retryAt - clock.now())}`;
    const reason = await describeFailure(isLost ? failure.details : details, context);
    const text = isLost ? reason : `Not added. Retry${wait} with Ctrl-N: ${reason}`;
    dispatch({ kind: 'message', text, isError: true });
  };
  return {
    /** Prompts for a pet and starts to send it; the result appears on the screen. */
    add: async () => {
      const pet = await prompt();
      if (!pet) {
        const until = clock.now() + briefMessageMs;
        return dispatch({ kind: 'message', text: 'Canceled. Nothing was added.', until });
      }
      draft = {};
      dispatch({ kind: 'message', text: `Adding ${pet.name}…` });
      track(create(pet), (failure) => reportFailure(failure, pet));
    },
    /** Returns the first failure of a create whose outcome is unknown. */
    lostCreate: () => lostCreate,
  };
}
