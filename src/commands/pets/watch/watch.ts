import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import type { Client } from '../../../client/client.js';
import { Failure, usageError } from '../../../failure.js';
import { formatCount, formatDuration, formatLocalTime } from '../../../format/duration.js';
import { createHalfLeave } from '../../../quota/admit.js';
import { fetchPages, filterPets, hasFilter } from '../fetch-pets.js';
import { checkFilter, type ListOptions } from '../list.js';
import { compareSnapshots, createSnapshot, type Snapshot } from './compare.js';
import { openChangeFormat } from './format-change.js';
import { calculatePause } from './pace.js';

/** Polls the list and prints added, removed and changed pets until the command is canceled. */
export async function watch(context: AppContext, options: ListOptions): Promise<void> {
  checkFilter(options);
  if (options.curl)
    throw usageError('invalid_flag', '--curl cannot show --watch, which sends many requests', 'remove --watch');
  if (context.flags.jq !== undefined) throw usageError('invalid_flag', '--watch does not support --jq', 'remove --jq');
  const { settings, runtime } = context;
  for await (const lines of pollChanges(context, options)) {
    const isText = settings.output === 'table';
    await context.print(isText ? { kind: 'text', text: lines } : { kind: 'text', text: '', json: lines });
    if (runtime.terminal.stdout.isClosed) return;
  }
}

const defaultPeriodMs = 5_000;

async function* pollChanges(context: AppContext, options: ListOptions): AsyncIterable<string> {
  const { clock, signal, terminal } = context;
  const periodMs = typeof options.watch === 'number' ? options.watch : defaultPeriodMs;
  const format = await openChangeFormat(context);
  const { stderr } = context.runtime.terminal;
  const formatLinePrefix = (time: number) => (stderr.isTerminal ? `${formatLocalTime(time)} ` : '');
  const live = await context.connections.open({ endsOnSignal: true });
  let snapshot = await unlessAborted(signal, takeSnapshot(live.client, options, false));
  if (!snapshot) return;
  const leave = createHalfLeave();
  let hasStarted = false;
  let announcedMs = periodMs;
  let failures = 0;
  let retryAt = 0;
  for (;;) {
    const { windows } = await live.quotaState();
    const now = clock.now();
    const paceMs = calculatePause(windows, { now, requests: snapshot.requests, periodMs, leave });
    const backoffMs = failures === 0 ? 0 : calculateBackoff(periodMs, failures);
    const pauseMs = Math.max(paceMs, retryAt - now, backoffMs);
    // Small changes are not announced.
    const isSlower = pauseMs > (hasStarted ? 2 : 1) * announcedMs && failures === 0;
    if (isSlower) announcedMs = pauseMs;
    const pacing = `every ${formatDuration(announcedMs)}${isSlower ? ' to use at most half of the remaining quota' : ''}`;
    if (!hasStarted) terminal.notice(describeStart(snapshot, options, pacing));
    else if (isSlower) terminal.notice(`Polling ${pacing}.`);
    hasStarted = true;
    const describePause = () => `Next poll in ${formatDuration(now + pauseMs - clock.now())}`;
    const countdown = pauseMs > periodMs ? terminal.startProgress(describePause) : undefined;
    await unlessAborted(signal, clock.sleep(pauseMs, signal));
    await countdown?.stop();
    if (signal.aborted) return;
    retryAt = 0;
    try {
      const next: PollResult | undefined = await unlessAborted(
        signal,
        takeSnapshot(live.client, options, snapshot.isPaginated),
      );
      if (!next) return;
      const time = clock.now();
      if (failures > 0) terminal.notice(`${formatLinePrefix(time)}The service responds again.`);
      failures = 0;
      // A service that paginates had no pets after a full page without a link.
      const isRestKnown = next.isPaginated && !snapshot.isPaginated && next.isComplete;
      const before = isRestKnown ? { ...snapshot, isComplete: true } : snapshot;
      const lines = compareSnapshots(before, next).map((change) => format(change, time));
      if (snapshot.isComplete && !next.isComplete)
        terminal.warn(`${formatLinePrefix(time)}${describeRest(options.all)}`);
      snapshot = next;
      // Writes even if nothing changed, to detect a closed pipe.
      yield lines.join('');
    } catch (error) {
      if (!(error instanceof Failure) || !transientKinds.includes(error.kind)) throw error;
      retryAt = error.details.retryAt ?? 0;
      if (failures === 0) terminal.warn(`${formatLinePrefix(clock.now())}${error.message}; watching continues`);
      failures += 1;
    }
  }
}

const transientKinds = ['network', 'service', 'rate-limited'];

const maxBackoffMs = 60_000;

function calculateBackoff(periodMs: number, failures: number): number {
  return Math.max(periodMs, Math.min(maxBackoffMs, periodMs * 2 ** Math.min(failures, 10)));
}

interface PollResult extends Snapshot {
  readonly requests: number;
  /** Whether the service has sent several pages, now or before. */
  readonly isPaginated: boolean;
}

/**
 * Fetches the first pets, or every pet with `--all` or a filter. `wasPaginated` says whether an earlier list had several
 * pages: then a full page without a link is the last one.
 */
async function takeSnapshot(client: Client, options: ListOptions, wasPaginated: boolean): Promise<PollResult> {
  const maximum = options.all || hasFilter(options) ? Number.POSITIVE_INFINITY : (options.limit ?? listLimit.maximum);
  const pets: PetRecord[] = [];
  let requests = 0;
  let isPaginated = wasPaginated;
  let isComplete = true;
  for await (const page of fetchPages(client, options, Math.min(maximum, listLimit.maximum))) {
    requests += 1;
    pets.push(...filterPets(page.pets, options));
    isPaginated ||= page.hasMore === 'yes';
    isComplete = page.hasMore === 'no' || (page.hasMore === 'perhaps' && isPaginated);
    if (pets.length >= maximum) break;
  }
  const shown = pets.slice(0, maximum);
  return {
    ...createSnapshot({ pets: shown, isComplete: isComplete && shown.length === pets.length }),
    requests,
    isPaginated,
  };
}

/** Resolves to the result of the work, or to undefined if the command was canceled meanwhile. */
async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function describeStart({ pets, isComplete }: Snapshot, { all }: ListOptions, pacing: string): string {
  const count = formatCount(pets.size, 'pet');
  const rest = isComplete ? '' : ` ${describeRest(all)}`;
  return `Watching ${count}, polling ${pacing}.${rest} Press Ctrl-C to stop.`;
}

function describeRest(all: true | undefined): string {
  return all ? 'There may be more.' : 'There may be more; use --all to watch every pet.';
}
