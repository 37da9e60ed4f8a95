import { listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import type { CommandResult } from '../../../cli/command-result.js';
import type { Client } from '../../../client/client.js';
import { Failure, usageError } from '../../../failure.js';
import { formatCount, formatDuration, formatWait } from '../../../format/duration.js';
import { createHalfLeave } from '../../../quota/leave.js';
import { fetchFirstPage, type ListOptions, petColumns } from '../list.js';
import { compareSnapshots, createSnapshot, type Snapshot } from './compare.js';
import { formatLocalTime, openChangeFormat } from './format-change.js';
import { calculatePause } from './pace.js';

/** Polls the list and prints added, removed and changed pets until the command is canceled. */
export async function watch(context: AppContext, options: ListOptions): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  const { output } = context.settings;
  if (options.curl)
    throw usageError('invalid_flag', '--curl cannot show --watch, which sends many requests', 'remove --watch');
  if (context.flags.jq !== undefined) throw usageError('invalid_flag', '--watch does not support --jq', 'remove --jq');
  if (output !== 'table' && output !== 'ndjson') {
    throw usageError('invalid_flag', `--watch does not support --output ${output}`, 'pass --output ndjson');
  }
  return { kind: 'lines', lines: pollChanges(context, options) };
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
    const describePause = () => `Next poll in ${formatWait(now + pauseMs - clock.now())}`;
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
      const before = next.isPaginated ? { ...snapshot, isComplete: true } : snapshot;
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

/** Fetches one page, or every page with `--all`. `wasPaginated` says whether an earlier list had several pages. */
async function takeSnapshot(
  client: Client,
  { status, limit = listLimit.maximum, all }: ListOptions,
  wasPaginated: boolean,
): Promise<PollResult> {
  if (!all) {
    const { pets, hasMore } = await fetchFirstPage(client, { ...(status && { status }), limit }, () => {});
    return { ...createSnapshot({ pets, isComplete: hasMore === 'no' }), requests: 1, isPaginated: false };
  }
  const pets: PetRecord[] = [];
  let requests = 0;
  let isComplete = true;
  let isPaginated = wasPaginated;
  for await (const { value, hasNext } of client.paginate(listPets, { limit, status })) {
    requests += 1;
    for (const pet of value) pets.push(pet);
    isPaginated ||= hasNext;
    // A full page without a link may mean that the service does not support pagination.
    isComplete &&= isPaginated || value.length < limit;
  }
  return { ...createSnapshot({ pets, isComplete }), requests, isPaginated };
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
