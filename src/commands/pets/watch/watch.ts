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
  const { settings, runtime, signal } = context;
  const isText = settings.output === 'table';
  try {
    for await (const lines of pollChanges(context, options)) {
      await context.print(isText ? { kind: 'text', text: lines } : { kind: 'text', text: '', json: lines });
      if (runtime.terminal.stdout.isClosed) return;
    }
  } catch (error) {
    // Ctrl-C is the normal end.
    if (!signal.aborted) throw error;
  }
}

const defaultPeriodMs = 5_000;

async function* pollChanges(context: AppContext, options: ListOptions): AsyncIterable<string> {
  const { clock, signal, terminal } = context;
  const periodMs = typeof options.watch === 'number' ? options.watch : defaultPeriodMs;
  const format = await openChangeFormat(context);
  const { stderr } = context.runtime.terminal;
  const formatLinePrefix = (time: number) => (stderr.isTerminal ? `${formatLocalTime(time)} ` : '');
  const live = await context.connect();
  let snapshot = await takeSnapshot(live.client, options);
  const leave = createHalfLeave();
  /** The pause that was announced; undefined before the first one. */
  let announcedMs: number | undefined;
  let failures = 0;
  let retryAt = 0;
  for (;;) {
    const { windows } = await live.quotaState();
    const now = clock.now();
    const { requests } = snapshot;
    const pauseMs = calculatePause(windows, { now, requests, periodMs, leave, failures, retryAt });
    // Small changes are not announced.
    if (failures === 0 && pauseMs > 2 * (announcedMs ?? 0)) {
      const isSlower = pauseMs > periodMs;
      const pacing = `every ${formatDuration(pauseMs)}${isSlower ? ' to use at most half of the remaining quota' : ''}`;
      terminal.notice(announcedMs === undefined ? describeStart(snapshot, options, pacing) : `Polling ${pacing}.`);
      announcedMs = pauseMs;
    }
    const describePause = () => `Next poll in ${formatDuration(now + pauseMs - clock.now())}`;
    const countdown = pauseMs > periodMs ? terminal.startProgress(describePause) : undefined;
    try {
      await clock.sleep(pauseMs, signal);
    } finally {
      await countdown?.stop();
    }
    try {
      const next = await takeSnapshot(live.client, options);
      const time = clock.now();
      if (failures > 0) terminal.notice(`${formatLinePrefix(time)}The service responds again.`);
      failures = 0;
      retryAt = 0;
      const lines = compareSnapshots(snapshot, next).map((change) => format(change, time));
      if (snapshot.isComplete && !next.isComplete) {
        terminal.warn(`${formatLinePrefix(time)}${describeRest(options.all)}`);
      }
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

/** Fetches the first pets, or every pet with `--all` or a filter. Also returns the number of requests. */
async function takeSnapshot(client: Client, options: ListOptions) {
  const maximum = options.all || hasFilter(options) ? Number.POSITIVE_INFINITY : (options.limit ?? listLimit.maximum);
  const pets: PetRecord[] = [];
  let requests = 0;
  let isComplete = true;
  for await (const page of fetchPages(client, options, Math.min(maximum, listLimit.maximum))) {
    requests += 1;
    pets.push(...filterPets(page.pets, options));
    isComplete = page.hasMore === 'no' && pets.length <= maximum;
    if (pets.length >= maximum) break;
  }
  return { ...createSnapshot({ pets: pets.slice(0, maximum), isComplete }), requests };
}

function describeStart({ pets, isComplete }: Snapshot, { all }: ListOptions, pacing: string): string {
  const count = formatCount(pets.size, 'pet');
  const rest = isComplete ? '' : ` ${describeRest(all)}`;
  return `Watching ${count}, polling ${pacing}.${rest} Press Ctrl-C to stop.`;
}

function describeRest(all: true | undefined): string {
  return all ? 'There may be more.' : 'There may be more; use --all to watch every pet.';
}
