import { listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext, Connection } from '../../../app/context.js';
import type { PageResult } from '../../../client/client.js';
import type { OnWait } from '../../../client/with-quota.js';
import { canceledError, type Failure } from '../../../failure.js';
import { createHalfLeave } from '../../../quota/leave.js';
import { describeFailure } from './describe-failure.js';
import type { StatusFilter } from './page-cache.js';
import type { BrowseEvent, Effect, Wait } from './state.js';
import type { TrackTask } from './task-tracker.js';

type LoadEffect = Extract<Effect, { kind: 'load' }>;

interface PageLoaderDeps {
  readonly live: Connection;
  /** Aborted when the user quits: failures are no longer reported. */
  readonly signal: AbortSignal;
  readonly dispatch: (event: BrowseEvent) => void;
  readonly track: TrackTask;
  readonly refreshQuota: () => Promise<void>;
  /** Shows a wait. Returns a function that ends it. */
  readonly showWait: (wait: Wait) => () => void;
  /** Ends the command. */
  readonly fail: (reason: unknown) => void;
}

/** Returns functions that load pages and stop loading; the pages appear on the screen. */
export function createPageLoader(context: AppContext, deps: PageLoaderDeps) {
  const { live, signal, dispatch, track, refreshQuota } = deps;
  const iterators = new Map<StatusFilter, AsyncIterator<PageResult<readonly PetRecord[]>>>();
  /** The last load of each list: an iterator must not be advanced twice at once. */
  const loads = new Map<StatusFilter, Promise<void>>();
  /** What each list loads. */
  const current = new Map<StatusFilter, LoadEffect>();
  let stopped = new AbortController();
  /** Pages in the background leave half of the quota. A stop or a failure grants no other half. */
  let leave = createHalfLeave();

  const optionsFor = ({ status, isBackground }: LoadEffect) => {
    const onWait: OnWait = ({ reason, endsAt: until }) => {
      if (reason === 'probe-in-flight') return () => {};
      if (reason !== 'leave') return deps.showWait({ until, reason: `for the quota of ${live.label}` });
      return deps.showWait({ until, reason: 'to leave half of the quota', background: { status, canLoadMore: true } });
    };
    return { signal: stopped.signal, ...(isBackground && { leave, onWait }) };
  };
  // A page that failed is requested again: the iterator has not moved on.
  const loadPage = async (effect: LoadEffect, stop: AbortSignal) => {
    const { status, isFirstPage } = effect;
    stop.throwIfAborted();
    current.set(status, effect);
    const input = { limit: listLimit.maximum, ...(status !== 'all' && { status }) };
    const open = isFirstPage ? undefined : iterators.get(status);
    const pages = open ?? live.client.paginate(listPets, input, () => optionsFor(current.get(status) ?? effect));
    const { done, value } = await pages.next();
    // Not before: the pages that a failed reload would have replaced continue with the page after them.
    iterators.set(status, pages);
    const { value: pets, hasNext, target } = done ? { value: [], hasNext: false, target: '' } : value;
    const page = { pets, hasNext, at: context.clock.now(), request: `GET ${target}` };
    dispatch({ kind: 'pageLoaded', status, isFirstPage, page });
    await refreshQuota();
  };
  const reportFailure = async (failure: Failure, effect: LoadEffect) => {
    // Every other request would fail for the same reason.
    if (failure.kind === 'auth') return deps.fail(failure);
    const text = describeFailure(failure.details, `press ${findRetryKey(effect)} to retry`);
    // The service has not rejected the request.
    const isHeldBack = failure.kind === 'rate-limited' && failure.details.status === undefined;
    const severity = isHeldBack ? 'warning' : 'error';
    dispatch({ kind: 'loadFailed', status: effect.status, text, severity });
    track(refreshQuota(), () => {});
  };
  return {
    load: (effect: LoadEffect) => {
      const { status } = effect;
      const stop = stopped.signal;
      const loading = (loads.get(status) ?? Promise.resolve()).then(() => loadPage(effect, stop));
      loads.set(
        status,
        loading.catch(() => {}),
      );
      track(loading, async (failure) => {
        if (!signal.aborted && !stop.aborted) await reportFailure(failure, effect);
      });
    },
    /** Cancels every request for a page. */
    stopLoading: () => {
      stopped.abort(canceledError());
      stopped = new AbortController();
    },
    /** Lets pages in the background use half of the quota that remains now. */
    grantHalfQuota: () => {
      leave = createHalfLeave();
    },
  };
}

/** Returns the key that requests the page again. Ctrl-R would reload the pages before it, too. */
function findRetryKey({ isFirstPage, isBackground }: LoadEffect): string {
  if (isFirstPage) return 'Ctrl-R';
  return isBackground ? 'End' : 'Down on the last pet';
}
