import { createPet } from '../../../api/operations.js';
import type { NewPet } from '../../../api/pet.js';
import type { AppContext, LongLivedConnection } from '../../../app/context.js';
import { Failure } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';
import { toSafeText } from '../../../format/safe-text.js';
import type { FullScreen } from '../../../terminal/full-screen.js';
import { begin, type Effect, type Event, type Room, type Step, update } from './model.js';
import type { Choice } from './page-cache.js';
import { openPages } from './pages.js';
import { roomOf, view } from './view.js';

export interface Session {
  /** Resolves to why the screen was left. */
  show(): Promise<'add' | 'end'>;
  /** Asks for a pet, and sends it while the screen is shown again. */
  add(): Promise<void>;
  /** Resolves once nothing is under way, to what became of a creation if it is not known or did not come to be. */
  settled(): Promise<Failure | undefined>;
}

/** Keeps the state, draws it, and does what it asks for; `signal` ends its requests. */
export async function openSession(
  context: AppContext,
  screen: FullScreen,
  told: string[],
  signal: AbortSignal,
): Promise<Session> {
  const { clock } = context;
  let dispatch: (event: Event) => void = () => {};
  const live = await context.connections.openLongLived({
    signal,
    onWait: (until, what) => {
      const wait = { until, what };
      dispatch({ kind: 'waits', wait });
      return () => dispatch({ kind: 'waited', wait });
    },
    onDiagnostic: (text) => {
      told.push(text);
      dispatch({ kind: 'told', text });
    },
  });
  const entry = await live.quota();
  let [state, ...first] = begin(entry?.quota ?? {});
  let left: 'add' | 'end' = 'end';
  let doubt: Failure | undefined;
  let fatal: { readonly reason: unknown } | undefined;
  const working = new Set<Promise<void>>();
  const readPage = openPages(live.client, clock);

  // The screen may not be there yet, or for now: whenever it is drawn, it ends.
  const fail = (reason: unknown) => {
    fatal ??= { reason };
    screen.redraw();
  };
  const work = (task: Promise<void>, onFailure: (failure: Failure) => void) => {
    const done = task
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) fail(error);
        else onFailure(error);
      })
      .finally(() => working.delete(done));
    working.add(done);
  };
  const read = async (choice: Choice, anew: boolean) => {
    dispatch({ kind: 'page', choice, anew, page: await readPage(choice, anew) });
    await tellQuota(live, dispatch);
  };
  const create = async (pet: NewPet) => {
    const { value } = await live.client.call(createPet, pet);
    dispatch({ kind: 'added', pet: value });
    await tellQuota(live, dispatch);
  };
  const perform = (effect: Effect) => {
    if (effect.kind === 'copy') dispatch(copied(screen, effect.id));
    else if (effect.kind !== 'read') left = effect.kind;
    else {
      work(read(effect.choice, effect.anew), (failure) => {
        if (signal.aborted) return;
        // Without a key that is good there is nothing to browse.
        if (failure.kind === 'auth') return fail(failure);
        dispatch({ kind: 'unread', choice: effect.choice, message: wordsOf(failure, clock.now()) });
        work(tellQuota(live, dispatch), () => {});
      });
    }
  };
  const take = ([next, ...effects]: Step) => {
    state = next;
    for (const effect of effects) perform(effect);
    screen.redraw();
    return effects.some(({ kind }) => kind === 'add' || kind === 'end');
  };
  dispatch = (event) => void take(update(state, event));

  return {
    show: async () => {
      let room: Room = { rows: 1, below: 0 };
      for (const effect of first.splice(0)) perform(effect);
      await screen.run({
        draw: (size, style) => {
          if (fatal) throw fatal.reason;
          const show = (text: string) => toSafeText(context.terminal.redact(text));
          const options = { style, show, label: live.label, now: clock.now() };
          room = roomOf(state, size, options);
          return view(state, size, options);
        },
        onKey: (key) => take(update(state, { kind: 'key', key, room })),
      });
      return left;
    },
    add: async () => {
      const { askPet } = await import('../prompt-pet.js');
      const pet = await askPet(context, {}).catch((error: unknown) => {
        const isRefused = error instanceof Failure && error.kind === 'canceled';
        if (!isRefused || context.signal.aborted) throw error;
        return undefined;
      });
      if (!pet) return dispatch({ kind: 'told', text: 'nothing was added' });
      dispatch({ kind: 'told', text: `adding ${pet.name}…` });
      work(create(pet), (failure) => {
        if (signal.aborted || failure.kind === 'unknown-outcome') doubt ??= failure;
        dispatch({ kind: 'told', text: wordsOf(failure, clock.now()), isError: true });
      });
    },
    settled: async () => {
      await Promise.all(working);
      return doubt;
    },
  };
}

async function tellQuota(
  live: LongLivedConnection,
  dispatch: (event: Event) => void,
): Promise<void> {
  const entry = await live.quota();
  if (entry) dispatch({ kind: 'quota', quota: entry.quota });
}

function copied(screen: FullScreen, id: string): Event {
  const text = screen.copyToClipboard(id)
    ? `copied ${id}, where the terminal lets programs copy`
    : `this terminal takes nothing for its clipboard; the id is ${id}`;
  return { kind: 'told', text };
}

function wordsOf({ details: { message, hint, retryAt } }: Failure, now: number): string {
  const again = retryAt === undefined ? '' : `; again in ${formatDuration(retryAt - now)}`;
  return `${message}${again}${hint === undefined ? '' : ` (${hint})`}`;
}
