import { createPet, listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import type { OperationResult } from '../../../client/client.js';
import { Failure } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import { type BrowseEvent, type Effect, initialize, type Transition, update } from './model.js';
import type { StatusFilter } from './page-cache.js';
import { getViewport, renderScreen } from './view.js';

/** Loads the first page and keeps the state. `signal` cancels all requests; warnings go to `notices`. */
export async function openController(context: AppContext, screen: FullScreen, notices: string[], signal: AbortSignal) {
  const { clock } = context;
  let dispatch: (event: BrowseEvent) => void = () => {};
  const live = await context.connections.open({
    signal,
    onWait: (until, reason) => {
      const wait = { until, reason };
      dispatch({ kind: 'waitStarted', wait });
      return () => dispatch({ kind: 'waitEnded', wait });
    },
    onDiagnostic: (text) => {
      notices.push(text);
      dispatch({ kind: 'message', text });
    },
  });
  let [state, ...initialEffects] = initialize((await live.ledgerEntry()).quota);
  let exit: 'add' | 'quit' = 'quit';
  let lostCreate: Failure | undefined;
  let fatal: { readonly reason: unknown } | undefined;
  const inFlight = new Set<Promise<void>>();
  const iterators = new Map<StatusFilter, AsyncIterator<OperationResult<readonly PetRecord[]>>>();

  // The screen may be hidden by a prompt: the next draw throws the reason.
  const fail = (reason: unknown) => {
    fatal ??= { reason };
    screen.redraw();
  };
  const track = (task: Promise<void>, onFailure: (failure: Failure) => void) => {
    const tracked = task
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) fail(error);
        else onFailure(error);
      })
      .finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  };
  const refreshQuota = async () => {
    dispatch({ kind: 'quota', quota: (await live.ledgerEntry()).quota });
  };
  // A page that failed is requested again: the iterator has not moved on.
  const load = async ({ status, isFirstPage }: Extract<Effect, { kind: 'load' }>) => {
    const input = { limit: listLimit.maximum, ...(status !== 'all' && { status }) };
    const open = isFirstPage ? undefined : iterators.get(status);
    const pages = open ?? live.client.paginate(listPets, input);
    iterators.set(status, pages);
    const { done, value } = await pages.next();
    const { value: pets, hasNext } = done ? { value: [], hasNext: false } : value;
    const page = { pets, hasNext, at: clock.now() };
    dispatch({ kind: 'pageLoaded', status, isFirstPage, page });
    await refreshQuota();
  };
  const perform = (effect: Effect) => {
    if (effect.kind === 'copyId') return dispatch(copyId(screen, effect.id));
    if (effect.kind !== 'load') {
      exit = effect.kind;
      return;
    }
    track(load(effect), (failure) => {
      if (signal.aborted) return;
      // Every other request would fail for the same reason.
      if (failure.kind === 'auth') return fail(failure);
      const message = describeFailure(failure, clock.now());
      dispatch({ kind: 'loadFailed', status: effect.status, message });
      track(refreshQuota(), () => {});
    });
  };
  const apply = ([next, ...effects]: Transition) => {
    state = next;
    for (const effect of effects) perform(effect);
    screen.redraw();
    return effects.some(({ kind }) => kind === 'add' || kind === 'quit');
  };
  dispatch = (event) => void apply(update(state, event));

  return {
    /** Shows the screen; resolves to how the user left it. */
    show: async () => {
      let viewport = { petRows: 1, maxScrollOffset: 0 };
      for (const effect of initialEffects.splice(0)) perform(effect);
      await screen.run({
        draw: (size, style) => {
          if (fatal) throw fatal.reason;
          const sanitize = (text: string) => toSafeText(context.terminal.redact(text));
          const options = { style, sanitize, label: live.label, now: clock.now() };
          viewport = getViewport(state, size, options);
          return renderScreen(state, size, options);
        },
        onKey: (key) => apply(update(state, { kind: 'key', key, viewport })),
      });
      return exit;
    },
    /** Prompts for a pet and starts to send it; the result appears on the screen. */
    add: async () => {
      const { promptPet } = await import('../prompt-pet.js');
      const pet = await promptPet(context, {}).catch((error: unknown) => {
        const isDeclined = error instanceof Failure && error.kind === 'canceled';
        if (!isDeclined || context.signal.aborted) throw error;
        return undefined;
      });
      if (!pet) return dispatch({ kind: 'message', text: 'Canceled. Nothing was added.' });
      dispatch({ kind: 'message', text: `Adding ${pet.name}…` });
      const create = async () => {
        const { value } = await live.client.call(createPet, pet);
        dispatch({ kind: 'petCreated', pet: value });
        await refreshQuota();
      };
      track(create(), (failure) => {
        if (signal.aborted || failure.kind === 'unknown-outcome') lostCreate ??= failure;
        const text = describeFailure(failure, clock.now());
        dispatch({ kind: 'message', text, isError: true });
      });
    },
    /** Waits for requests in flight; returns the failure of a create whose outcome is unknown. */
    finishRequests: async () => {
      await Promise.all(inFlight);
      return lostCreate;
    },
  };
}

function copyId(screen: FullScreen, id: string): BrowseEvent {
  const text = screen.copyToClipboard(id) ? `Copied ${id}` : `This terminal does not support copying. The id is ${id}.`;
  return { kind: 'message', text };
}

function describeFailure({ details: { message, hint, retryAt } }: Failure, now: number): string {
  const retry = retryAt === undefined ? '' : `; retry in ${formatDuration(retryAt - now)}`;
  return `${message}${retry}${hint === undefined ? '' : ` (${hint})`}`;
}
