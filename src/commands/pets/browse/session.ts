import { listLimit } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import { canceledError, Failure, retryHint } from '../../../failure.js';
import { formatHint } from '../../../format/hint.js';
import { toSafeText } from '../../../format/safe-text.js';
import { createHalfLeave } from '../../../quota/admit.js';
import type { FullScreen, FullScreenView } from '../../../terminal/full-screen.js';
import { fetchPages } from '../fetch-pets.js';
import { pressKey } from './keys.js';
import { addPage, type BrowseState, getSelectedIndex, initialize, type Message } from './model.js';
import { renderScreen } from './view.js';
import { formatPetId, getVisiblePets } from './visible-pets.js';

const quotaPeriodMs = 2_000;

/** Opens the connection, and loads the pages that the state asks for. Warnings are printed when the session closes. */
export async function openSession(context: AppContext, screen: FullScreen) {
  const { clock, terminal } = context;
  const diagnostics: string[] = [];
  let change: (changes: Partial<BrowseState>) => void = () => {};
  const print = (text: string) => {
    diagnostics.push(text);
    change({ message: { text } });
  };
  const { client, label, quotaState } = await context.connect({
    display: {
      warn: print,
      errorLine: print,
      countDown: (until, reason) => {
        change({ wait: { until, reason } });
        return () => change({ wait: undefined });
      },
      startWork: () => () => {},
    },
  });
  let state = initialize((await quotaState()).quota, context.settings.readOnly !== undefined);
  let request = new AbortController();
  let leave = createHalfLeave();
  const openPages = ({ list, status }: BrowseState) => {
    const getOptions = () => ({ signal: request.signal, ...(state.loading === 'all' && { leave }) });
    const query = { status: status === 'all' ? undefined : status };
    return { list, isFirst: true, pages: fetchPages(client, query, listLimit.maximum, getOptions) };
  };
  let open = openPages(state);
  let fatal: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown) => {
    fatal ??= { reason };
    screen.redraw();
  };
  const refreshQuota = async () => change({ quota: (await quotaState()).quota });
  let isLoading = false;
  const loadPages = async () => {
    isLoading = true;
    while (state.loading) {
      if (open.list !== state.list) open = openPages(state);
      request = new AbortController();
      const { signal } = request;
      try {
        const { done, value } = await open.pages.next();
        if (signal.aborted) continue;
        change(addPage(state, done ? { pets: [], hasMore: 'no' } : value, open.isFirst));
        open.isFirst = false;
      } catch (error) {
        if (signal.aborted) continue;
        // Every other request would fail for the same reason.
        if (!(error instanceof Failure) || error.kind === 'auth') throw error;
        const retryKey = open.isFirst ? 'Ctrl-R' : state.loading === 'all' ? 'End' : 'Down on the last pet';
        change({ loading: undefined, message: describeFailure(error, retryKey) });
      }
      await refreshQuota();
    }
    isLoading = false;
  };
  let loaded = Promise.resolve();
  change = (changes) => {
    const before = state;
    state = { ...state, ...changes };
    // Each End uses at most half of the quota that remains then.
    if (state.loading === 'all' && before.loading !== 'all') leave = createHalfLeave();
    if (!state.loading || state.list !== before.list) request.abort(canceledError());
    if (state.loading && !isLoading) loaded = loadPages().catch(fail);
    screen.redraw();
  };
  // Other processes use the same quota.
  const followQuota = async (closed: AbortSignal) => {
    while (!closed.aborted) {
      await refreshQuota();
      await clock.sleep(quotaPeriodMs, closed).catch(() => {});
    }
  };
  return {
    update: (getChanges: (current: BrowseState) => Partial<BrowseState>) => change(getChanges(state)),
    /** Shows the screen; resolves to how the user left it. */
    show: async () => {
      let viewport = { petRows: 1, maxScrollOffset: 0 };
      const view: FullScreenView = {
        draw: (size, style) => {
          if (fatal) throw fatal.reason;
          const sanitize = (text: string) => toSafeText(terminal.redact(text));
          const drawn = renderScreen(state, size, { style, sanitize, label, now: clock.now() });
          viewport = drawn.viewport;
          return drawn.lines;
        },
        onKey: (key) => {
          change(pressKey(state, key, viewport));
          if (state.request !== 'copyId') return state.request !== undefined;
          const id = formatPetId(getVisiblePets(state)[getSelectedIndex(state)] ?? {});
          screen.copyToClipboard(id);
          change({ message: { text: `Sent ${id} to the clipboard of the terminal` } });
          return false;
        },
      };
      const closed = new AbortController();
      followQuota(closed.signal).catch(fail);
      await screen.run(view).finally(() => closed.abort());
      return state.request;
    },
    close: async () => {
      change({ loading: undefined });
      await loaded;
      for (const text of diagnostics) terminal.notice(text);
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
