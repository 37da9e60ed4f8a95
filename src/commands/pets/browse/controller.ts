import { createPet, listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext, LongLivedConnection } from '../../../app/context.js';
import type { Client, OperationResult } from '../../../client/client.js';
import type { Clock } from '../../../clock.js';
import { Failure } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import { type BrowseEvent, type Effect, initialize, type Transition, update } from './model.js';
import type { LoadedPage, StatusFilter } from './page-cache.js';
import { getViewport, renderScreen } from './view.js';

/** The browse screen with its requests. */
export interface BrowseController {
  /** Shows the screen; resolves to how the user left it. */
  show(): Promise<'add' | 'quit'>;
  /** Prompts for a pet and starts to send it; the result appears on the screen. */
  add(): Promise<void>;
  /** Waits for requests in flight; returns the failure of a create that was lost. */
  finishRequests(): Promise<Failure | undefined>;
}

/** Loads the first page and keeps the state. `signal` cancels all requests; warnings go to `notices`. */
export async function openController(
  context: AppContext,
  screen: FullScreen,
  notices: string[],
  signal: AbortSignal,
): Promise<BrowseController> {
  const { clock } = context;
  let dispatch: (event: BrowseEvent) => void = () => {};
  const live = await context.connections.openLongLived({
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
  let [state, ...initialEffects] = initialize((await live.quota())?.quota ?? {});
  let exit: 'add' | 'quit' = 'quit';
  let lostCreate: Failure | undefined;
  let fatal: { readonly reason: unknown } | undefined;
  const inFlight = new Set<Promise<void>>();
  const loadPage = createPageLoader(live.client, clock);

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
  const load = async ({ status, isFirstPage }: Extract<Effect, { kind: 'load' }>) => {
    const page = await loadPage(status, isFirstPage);
    dispatch({ kind: 'pageLoaded', status, isFirstPage, page });
    await refreshQuota(live, dispatch);
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
      track(refreshQuota(live, dispatch), () => {});
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
    add: async () => {
      const { promptPet } = await import('../prompt-pet.js');
      const pet = await promptPet(context, {}).catch((error: unknown) => {
        const isDeclined = error instanceof Failure && error.kind === 'canceled';
        if (!isDeclined || context.signal.aborted) throw error;
        return undefined;
      });
      if (!pet) return dispatch({ kind: 'message', text: 'nothing was added' });
      dispatch({ kind: 'message', text: `adding ${pet.name}…` });
      const create = async () => {
        const { value } = await live.client.call(createPet, pet);
        dispatch({ kind: 'petCreated', pet: value });
        await refreshQuota(live, dispatch);
      };
      track(create(), (failure) => {
        if (signal.aborted || failure.kind === 'unknown-outcome') lostCreate ??= failure;
        const text = describeFailure(failure, clock.now());
        dispatch({ kind: 'message', text, isError: true });
      });
    },
    finishRequests: async () => {
      await Promise.all(inFlight);
      return lostCreate;
    },
  };
}

/** Returns a function that loads the first or the next page of a list; a page that failed is retried. */
function createPageLoader(client: Client, clock: Clock) {
  const iterators = new Map<StatusFilter, AsyncIterator<OperationResult<readonly PetRecord[]>>>();
  return async (status: StatusFilter, isFirstPage: boolean): Promise<LoadedPage> => {
    const input = { limit: listLimit.maximum, ...(status !== 'all' && { status }) };
    const open = isFirstPage ? undefined : iterators.get(status);
    const pages = open ?? client.paginate(listPets, input);
    iterators.set(status, pages);
    const { done, value } = await pages.next();
    const at = clock.now();
    if (done) return { pets: [], hasNext: false, at };
    return { pets: value.value, hasNext: value.hasNext, at };
  };
}

async function refreshQuota(
  live: LongLivedConnection,
  dispatch: (event: BrowseEvent) => void,
): Promise<void> {
  const entry = await live.quota();
  if (entry) dispatch({ kind: 'quota', quota: entry.quota });
}

function copyId(screen: FullScreen, id: string): BrowseEvent {
  const text = screen.copyToClipboard(id)
    ? `copied ${id}, where the terminal lets programs copy`
    : `this terminal takes nothing for its clipboard; the id is ${id}`;
  return { kind: 'message', text };
}

function describeFailure({ details: { message, hint, retryAt } }: Failure, now: number): string {
  const retry = retryAt === undefined ? '' : `; again in ${formatDuration(retryAt - now)}`;
  return `${message}${retry}${hint === undefined ? '' : ` (${hint})`}`;
}
