import { createPet } from '../../../api/operations.js';
import type { NewPet } from '../../../api/pet.js';
import type { AppContext, Connection } from '../../../app/context.js';
import type { Middleware } from '../../../client/middleware.js';
import { canceledError, Failure } from '../../../failure.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import { promptPet } from '../prompt-pet.js';
import { combineLostCreates, type LostCreate } from './combine-lost-creates.js';
import { describeFailure, formatCountdown } from './describe-failure.js';
import { formatNames } from './describe-list.js';
import { type BrowseEvent, briefMessageMs, type FormatMessage, type PendingAdd } from './state.js';
import type { TrackTask } from './task-tracker.js';

interface AddPetDeps {
  readonly screen: FullScreen;
  readonly live: Connection;
  /** Aborted when the user quits. */
  readonly signal: AbortSignal;
  readonly dispatch: (event: BrowseEvent) => void;
  /** Delays the end of the command until a task ends. */
  readonly track: TrackTask;
  readonly refreshQuota: () => Promise<void>;
}

/** Returns functions that add pets from the screen. */
export function createPetAdder(context: AppContext, deps: AddPetDeps) {
  const { live, signal, dispatch, track, refreshQuota } = deps;
  const { clock } = context;
  const adds = new Map<AbortController, PendingAdd>();
  const showAdds = () => dispatch({ kind: 'adds', adds: [...adds.values()] });
  const lostCreates: LostCreate[] = [];
  const findLostCreate = () => combineLostCreates(lostCreates, context.flags);
  /** The pets that were not added. The form starts with the last one. */
  const drafts: NewPet[] = [];
  const create = async (pet: NewPet) => {
    const canceler = new AbortController();
    const show = (isSent: boolean) => {
      adds.set(canceler, { name: pet.name, isSent });
      showAdds();
    };
    show(false);
    let mayBeAdded = false;
    const observe: Middleware = (next) => async (request, stop) => {
      show(true);
      const outcome = await next(request, stop);
      mayBeAdded ||= outcome.effect !== 'none';
      show(mayBeAdded);
      return outcome;
    };
    try {
      const { value } = await live.client.call(createPet, pet, { observe, signal: canceler.signal });
      const request = `POST ${live.client.basePath}${createPet.path}`;
      dispatch({ kind: 'petCreated', pet: value, batch: { pets: [value], request, at: clock.now() } });
    } finally {
      adds.delete(canceler);
      showAdds();
    }
    await refreshQuota();
  };
  const reportFailure = async (failure: Failure, pet: NewPet) => {
    const isQuitting = signal.aborted || context.signal.aborted;
    const isLost = isQuitting || failure.kind === 'unknown-outcome';
    if (isLost) lostCreates.push({ name: pet.name, failure });
    else drafts.push(pet);
    // Cancellation has a message for all pets.
    if (!isLost && failure.kind === 'canceled') return;
    const lost = isLost ? findLostCreate() : undefined;
    const text = lost ? describeLoss(lost) : describeRejection(failure);
    dispatch({ kind: 'message', text, severity: 'error' });
    track(refreshQuota(), () => {});
  };
  return {
    /** Prompts for a pet and starts to send it; the result appears on the screen. */
    add: async () => {
      const pet = await promptOnScreen(context, drafts.at(-1) ?? {});
      if (!pet) return dispatch({ kind: 'addCanceled', until: clock.now() + briefMessageMs });
      drafts.pop();
      track(create(pet), (failure) => reportFailure(failure, pet));
    },
    /** Cancels the adds that wait to be sent. */
    cancelAdds: () => {
      const unsent = [...adds].filter(([, { isSent }]) => !isSent);
      for (const [canceler] of unsent) canceler.abort(canceledError());
      const names = formatNames(unsent.map(([, add]) => add));
      const text = `Canceled. ${names} ${unsent.length === 1 ? 'was' : 'were'} not added. Ctrl-N edits and resends.`;
      dispatch({ kind: 'message', text });
    },
    /** Returns the failure of all creates whose outcome is unknown. */
    findLostCreate,
  };
}

/** Returns the pet that the user enters; undefined if the user cancels. */
async function promptOnScreen(context: AppContext, draft: Partial<NewPet>) {
  return promptPet(context, { draft }).catch((error: unknown) => {
    const isDeclined = error instanceof Failure && error.kind === 'canceled';
    if (!isDeclined || context.signal.aborted) throw error;
    return undefined;
  });
}

/** Returns what became of pets, then why: a small screen cuts the end. */
function describeLoss({ details }: Failure): FormatMessage {
  const { outcome = '', message, ...others } = details;
  const start = `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}`;
  return describeFailure({ ...others, message: `${start}: ${message}` });
}

/** Returns why a pet was not added, and when to retry. */
function describeRejection({ details }: Failure): FormatMessage {
  const { retryAt, ...reason } = details;
  const formatReason = describeFailure(reason);
  return (now) => `Not added. Retry${formatCountdown('', retryAt, now)} with Ctrl-N: ${formatReason(now)}`;
}
