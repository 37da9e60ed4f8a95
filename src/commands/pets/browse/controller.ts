import type { AppContext } from '../../../app/context.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { FullScreen, FullScreenView } from '../../../terminal/full-screen.js';
import { createPetAdder } from './add-pet.js';
import { initialize, update } from './model.js';
import { createPageLoader } from './page-loader.js';
import { type BrowseEvent, briefMessageMs, type Effect, type Transition, type Wait } from './state.js';
import { createTaskTracker } from './task-tracker.js';
import { getViewport, renderScreen } from './view.js';

/** Loads the first page and keeps the state. `signal` cancels all requests; warnings go to `notices`. */
export async function openController(context: AppContext, screen: FullScreen, notices: string[], signal: AbortSignal) {
  const { clock } = context;
  let dispatch: (event: BrowseEvent) => void = () => {};
  let fatal: { readonly reason: unknown } | undefined;
  // The screen may be hidden by a prompt: the next draw throws the reason.
  const fail = (reason: unknown) => {
    fatal ??= { reason };
    screen.redraw();
  };
  const { track, waitForTasks } = createTaskTracker(fail);
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
  const refreshQuota = async () => {
    dispatch({ kind: 'quota', quota: (await live.quotaState()).quota });
  };
  // Other processes use the same quota.
  const followQuota = async (closed: AbortSignal) => {
    while (!closed.aborted) {
      await clock.sleep(quotaPeriodMs, closed).catch(() => {});
      if (!closed.aborted) await refreshQuota();
    }
  };
  const { quota } = await live.quotaState();
  let [state, ...initialEffects] = initialize(quota, context.settings.readOnly !== undefined);
  let exit: 'add' | 'quit' = 'quit';
  const perform = (effect: Effect) => {
    switch (effect.kind) {
      case 'load':
        return load(effect);
      case 'stopLoading':
        return stopLoading();
      case 'cancelAdds':
        return cancelAdds();
      case 'grantHalfQuota':
        return grantHalfQuota();
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
  const deps = { screen, live, signal, dispatch, track, refreshQuota, showWait, fail };
  const { load, stopLoading, grantHalfQuota } = createPageLoader(context, deps);
  const { add, cancelAdds, findLostCreate } = createPetAdder(context, deps);

  return {
    /** Shows the screen; resolves to how the user left it. */
    show: async () => {
      let viewport = { petRows: 1, maxScrollOffset: 0 };
      for (const effect of initialEffects.splice(0)) perform(effect);
      const closed = new AbortController();
      track(followQuota(closed.signal), () => {});
      const view: FullScreenView = {
        draw: (size, style) => {
          if (fatal) throw fatal.reason;
          const sanitize = (text: string) => toSafeText(context.terminal.redact(text));
          const options = { style, sanitize, moveToColumn, label: live.label, now: clock.now() };
          viewport = getViewport(state, size, options);
          return renderScreen(state, size, options);
        },
        onKey: (key) => apply(update(state, { kind: 'key', key, viewport })),
      };
      await screen.run(view).finally(() => closed.abort());
      return exit;
    },
    add,
    /** Stops loading and waits for requests in flight; returns the failure of the creates whose outcome is unknown. */
    finishRequests: async () => {
      stopLoading();
      await waitForTasks();
      return findLostCreate();
    },
  };
}

const quotaPeriodMs = 2_000;

/** CHA (ECMA-48 §8.3.9). */
const moveToColumn = (column: number) => `\u001b[${column}G`;

function copyId(screen: FullScreen, id: string) {
  const text = screen.copyToClipboard(id)
    ? `Sent ${id} to the clipboard of the terminal`
    : `This terminal does not support copying. The id is ${id}.`;
  return { kind: 'message', text } as const;
}
