import { listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import type { PageResult } from '../../../client/client.js';
import { canceledError, Failure } from '../../../failure.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import type { limitToHalfQuota } from '../half-quota.js';
import { createPetAdder } from './add-pet.js';
import { describeFailure } from './describe-failure.js';
import { initialize, update } from './model.js';
import type { StatusFilter } from './page-cache.js';
import { type BrowseEvent, briefMessageMs, type Effect, type Transition, type Wait } from './state.js';
import { getViewport, renderScreen } from './view.js';

type LoadEffect = Extract<Effect, { kind: 'load' }>;

const backgroundWaitReason = 'to leave half of the quota';

/** Loads the first page and keeps the state. `signal` cancels all requests; warnings go to `notices`. */
export async function openController(context: AppContext, screen: FullScreen, notices: string[], signal: AbortSignal) {
  const { clock } = context;
  let dispatch: (event: BrowseEvent) => void = () => {};
  const showWait = (wait: Wait) => {
    dispatch({ kind: 'waitStarted', wait });
    // Another process may have used the quota.
    track(refreshQuota(), () => {});
    return () => dispatch({ kind: 'waitEnded', wait });
  };
  const live = await context.connections.open({
    signal,
    onWait: (until, reason) => showWait({ until, reason }),
    onDiagnostic: (text) => {
      notices.push(text);
      dispatch({ kind: 'message', text });
    },
  });
  let [state, ...initialEffects] = initialize(
    (await live.ledgerEntry()).quota,
    context.settings.readOnly !== undefined,
  );
  let exit: 'add' | 'quit' = 'quit';
  let fatal: { readonly reason: unknown } | undefined;
  const inFlight = new Set<Promise<void>>();
  const iterators = new Map<StatusFilter, AsyncIterator<PageResult<readonly PetRecord[]>>>();
  /** The last load of each list: an iterator must not be advanced twice at once. */
  const loads = new Map<StatusFilter, Promise<void>>();
  let stopped = new AbortController();
  /** Set once pages load in the background. A stop or a failure grants no other half of the quota. */
  let waitForHalfQuota: ReturnType<typeof limitToHalfQuota> | undefined;
  const openHalfQuota = async () => {
    const { limitToHalfQuota } = await import('../half-quota.js');
    const findWindows = async () => (await live.ledgerEntry()).windows;
    const { maxWaitMs, reserve } = context.settings;
    return limitToHalfQuota({ clock, maxWaitMs, reserve, findWindows, hint: 'press End to load more' });
  };

  // The screen may be hidden by a prompt: the next draw throws the reason.
  const fail = (reason: unknown) => {
    fatal ??= { reason };
    screen.redraw();
  };
  const track = (task: Promise<void>, onFailure: (failure: Failure) => Promise<void> | void) => {
    const tracked = task
      .catch((error: unknown) => {
        if (error instanceof Failure) return onFailure(error);
        fail(error);
      })
      .finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  };
  const refreshQuota = async () => {
    dispatch({ kind: 'quota', quota: (await live.ledgerEntry()).quota });
  };
  // A page that failed is requested again: the iterator has not moved on.
  const loadPage = async ({ status, isFirstPage, isBackground }: LoadEffect, { signal: stop }: AbortController) => {
    stop.throwIfAborted();
    if (isBackground) {
      waitForHalfQuota ??= await openHalfQuota();
      await waitForHalfQuota(stop, (until) => showWait({ until, reason: backgroundWaitReason }));
    }
    const input = { limit: listLimit.maximum, ...(status !== 'all' && { status }) };
    const open = isFirstPage ? undefined : iterators.get(status);
    const pages = open ?? live.client.paginate(listPets, input, () => stopped.signal);
    const { done, value } = await pages.next();
    // Not before: the pages that a failed reload would have replaced continue with the page after them.
    iterators.set(status, pages);
    const { value: pets, hasNext, target } = done ? { value: [], hasNext: false, target: '' } : value;
    const page = { pets, hasNext, at: clock.now(), request: `GET ${target}` };
    dispatch({ kind: 'pageLoaded', status, isFirstPage, page });
    await refreshQuota();
  };
  const load = (effect: LoadEffect) => {
    const { status } = effect;
    const stop = stopped;
    const loading = (loads.get(status) ?? Promise.resolve()).then(() => loadPage(effect, stop));
    loads.set(
      status,
      loading.catch(() => {}),
    );
    track(loading, async (failure) => {
      if (signal.aborted || stop.signal.aborted) return;
      // Every other request would fail for the same reason.
      if (failure.kind === 'auth') return fail(failure);
      const { retryAt, ...details } = failure.details;
      const hint = 'press Ctrl-R to retry';
      const laterMessage = await describeFailure(details, context, hint);
      const message = await describeFailure(failure.details, context, hint);
      dispatch({ kind: 'loadFailed', status, message, retryAt, laterMessage });
      track(refreshQuota(), () => {});
    });
  };
  const stopLoading = () => {
    stopped.abort(canceledError());
    stopped = new AbortController();
  };
  const perform = (effect: Effect) => {
    switch (effect.kind) {
      case 'load':
        return load(effect);
      case 'stopLoading':
        return stopLoading();
      case 'cancelAdds':
        return cancelAdds();
      case 'grantHalfQuota':
        waitForHalfQuota = undefined;
        return;
      case 'copyId':
        return dispatch({ ...copyId(screen, effect.id), until: clock.now() + briefMessageMs });
      default:
        exit = effect.kind;
    }
  };
  const apply = ([next, ...effects]: Transition) => {
    state = next;
    for (const effect of effects) perform(effect);
    screen.redraw();
    return effects.some(({ kind }) => kind === 'add' || kind === 'quit');
  };
  dispatch = (event) => void apply(update(state, event));
  const { add, cancelAdds, lostCreate } = createPetAdder(context, {
    screen,
    live,
    signal,
    dispatch,
    track,
    refreshQuota,
  });

  return {
    /** Shows the screen; resolves to how the user left it. */
    show: async () => {
      let viewport = { petRows: 1, maxScrollOffset: 0 };
      for (const effect of initialEffects.splice(0)) perform(effect);
      await screen.run({
        draw: (size, style) => {
          if (fatal) throw fatal.reason;
          const sanitize = (text: string) => toSafeText(context.terminal.redact(text));
          const options = { style, sanitize, moveToColumn, label: live.label, now: clock.now() };
          viewport = getViewport(state, size, options);
          return renderScreen(state, size, options);
        },
        onKey: (key) => apply(update(state, { kind: 'key', key, viewport })),
      });
      return exit;
    },
    add,
    /** Stops loading and waits for requests in flight; returns the failure of a create whose outcome is unknown. */
    finishRequests: async () => {
      stopLoading();
      await Promise.all(inFlight);
      return lostCreate();
    },
  };
}

/** CHA (ECMA-48 §8.3.9). */
const moveToColumn = (column: number) => `\u001b[${column}G`;

function copyId(screen: FullScreen, id: string) {
  const text = screen.copyToClipboard(id)
    ? `Sent ${id} to the clipboard of the terminal`
    : `This terminal does not support copying. The id is ${id}.`;
  return { kind: 'message', text } as const;
}
