import { listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext, Connection } from '../../../app/context.js';
import type { PageResult } from '../../../client/client.js';
import { canceledError, Failure, retryHint } from '../../../failure.js';
import { formatHint } from '../../../format/hint.js';
import { toSafeText } from '../../../format/safe-text.js';
import { createHalfLeave } from '../../../quota/leave.js';
import type { FullScreen, FullScreenView } from '../../../terminal/full-screen.js';
import { initialize, update } from './model.js';
import type { BrowseEvent, Effect, Message, StatusFilter, Transition } from './state.js';
import { getViewport, renderScreen } from './view.js';

const quotaPeriodMs = 2_000;

/** Opens the connection and keeps the state. Warnings and the trace are printed when the session closes. */
export async function openSession(context: AppContext, screen: FullScreen) {
  const { clock, terminal } = context;
  const diagnostics: string[] = [];
  let dispatch: (event: BrowseEvent) => void = () => {};
  let fatal: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown) => {
    fatal ??= { reason };
    screen.redraw();
  };
  const connection = await context.connections.open({
    onWait: (until, reason) => {
      dispatch({ kind: 'wait', wait: { until, reason } });
      return () => dispatch({ kind: 'wait', wait: undefined });
    },
    onDiagnostic: (text) => {
      diagnostics.push(text);
      dispatch({ kind: 'message', message: { text } });
    },
  });
  const refreshQuota = async () => {
    dispatch({ kind: 'quota', quota: (await connection.quotaState()).quota });
  };
  const loader = openLoader(connection, { dispatch: (event) => dispatch(event), fail, refreshQuota });
  const { quota } = await connection.quotaState();
  let [state, ...initialEffects] = initialize(quota, context.settings.readOnly !== undefined);
  let exit: 'add' | 'quit' = 'quit';
  const perform = (effect: Effect) => {
    switch (effect.kind) {
      case 'open':
        return loader.open(effect.status);
      case 'load':
        return loader.load(effect.leavesHalf);
      case 'grantHalf':
        return loader.grantHalf();
      case 'stop':
        return loader.stop();
      case 'copyId':
        return dispatch({ kind: 'message', message: { text: copyId(screen, effect.id) } });
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
  // Other processes use the same quota.
  const followQuota = async (closed: AbortSignal) => {
    while (!closed.aborted) {
      await refreshQuota();
      await clock.sleep(quotaPeriodMs, closed).catch(() => {});
    }
  };
  return {
    dispatch: (event: BrowseEvent) => dispatch(event),
    /** Shows the screen; resolves to how the user left it. */
    show: async () => {
      for (const effect of initialEffects.splice(0)) perform(effect);
      let viewport = { petRows: 1, maxScrollOffset: 0 };
      const view: FullScreenView = {
        draw: (size, style) => {
          if (fatal) throw fatal.reason;
          const sanitize = (text: string) => toSafeText(terminal.redact(text));
          const options = { style, sanitize, label: connection.label, now: clock.now() };
          viewport = getViewport(state, size, options);
          return renderScreen(state, size, options);
        },
        onKey: (key) => apply(update(state, { kind: 'key', key, viewport })),
      };
      const closed = new AbortController();
      followQuota(closed.signal).catch(fail);
      await screen.run(view).finally(() => closed.abort());
      return exit;
    },
    close: async () => {
      await loader.close();
      for (const text of diagnostics) terminal.notice(text);
    },
  };
}

interface LoaderDeps {
  readonly dispatch: (event: BrowseEvent) => void;
  /** Ends the command. */
  readonly fail: (reason: unknown) => void;
  readonly refreshQuota: () => Promise<void>;
}

/** Returns functions that load the pages of one list, one after another. */
function openLoader({ client }: Connection, { dispatch, fail, refreshQuota }: LoaderDeps) {
  let pages: AsyncIterator<PageResult<readonly PetRecord[]>> | undefined;
  let stopped = new AbortController();
  let leave = createHalfLeave();
  let leavesHalf = false;
  let isFirst = true;
  let loading: Promise<void> = Promise.resolve();
  const stop = () => {
    stopped.abort(canceledError());
    stopped = new AbortController();
  };
  const loadPage = async ({ signal }: AbortController, source: typeof pages) => {
    if (signal.aborted || !source) return;
    try {
      const { done, value } = await source.next();
      if (signal.aborted) return;
      dispatch({ kind: 'page', isFirst, pets: done ? [] : value.value, hasNext: !done && value.hasNext });
      isFirst = false;
    } catch (error) {
      if (signal.aborted) return;
      // Every other request would fail for the same reason.
      if (!(error instanceof Failure) || error.kind === 'auth') throw error;
      const retryKey = isFirst ? 'Ctrl-R' : leavesHalf ? 'End' : 'Down on the last pet';
      dispatch({ kind: 'loadFailed', message: describeFailure(error, retryKey) });
    }
    await refreshQuota();
  };
  const load = (isBackground: boolean) => {
    const [current, source] = [stopped, pages];
    // An iterator must not be advanced twice at once.
    loading = loading.then(() => {
      leavesHalf = isBackground;
      return loadPage(current, source).catch(fail);
    });
  };
  return {
    /** Starts a list, and cancels the requests of the one before. */
    open: (status: StatusFilter) => {
      stop();
      isFirst = true;
      const input = { limit: listLimit.maximum, ...(status !== 'all' && { status }) };
      pages = client.paginate(listPets, input, () => ({ signal: stopped.signal, ...(leavesHalf && { leave }) }));
      load(false);
    },
    load,
    stop,
    /** Lets the pages that End loads use half of the quota that remains now. */
    grantHalf: () => {
      leave = createHalfLeave();
    },
    close: async () => {
      stop();
      await loading;
    },
  };
}

/** Returns a failed load as a message, with its hint. */
function describeFailure(failure: Failure, retryKey: string): Message {
  const { kind, message, details } = failure;
  const { hint, retryAt, status } = details;
  const advice = hint === undefined || hint === retryHint ? `press ${retryKey} to retry` : formatHint(hint);
  // The service has not rejected a request that waits for the quota.
  const severity = kind === 'rate-limited' && status === undefined ? 'warning' : 'error';
  return { text: message, hint: advice, severity, retryAt };
}

function copyId(screen: FullScreen, id: string): string {
  if (screen.copyToClipboard(id)) return `Sent ${id} to the clipboard of the terminal`;
  return `This terminal does not support copying. The id is ${id}.`;
}
