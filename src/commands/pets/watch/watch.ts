import { listPets } from '../../../api/operations.js';
import { listLimit, type PetRecord } from '../../../api/pet.js';
import type { AppContext } from '../../../app/context.js';
import type { CommandResult } from '../../../cli/command-result.js';
import type { Client } from '../../../client/client.js';
import { Failure, usageError } from '../../../failure.js';
import { formatDuration, formatWait } from '../../../format/duration.js';
import { petColumns } from '../columns.js';
import type { ListOptions } from '../list.js';
import { compare, type Round, roundOf } from './compare.js';
import { lineOf } from './format-change.js';
import { type Allowance, paceAfter } from './pace.js';

/** Asks again and again, and tells what came, went and changed, until it is ended. */
export async function watch(context: AppContext, options: ListOptions): Promise<CommandResult> {
  context.terminal.checkFields(petColumns);
  const { output, curl } = context.settings;
  if (curl) throw usageError('invalid_flag', '--watch is many requests, and --curl shows one');
  if (output !== 'table' && output !== 'ndjson') {
    throw usageError(
      'invalid_flag',
      `--watch tells changes line by line, not as ${output}`,
      'use --output ndjson',
    );
  }
  return { kind: 'lines', lines: changes(context, options) };
}

const usualPeriod = 5_000;

async function* changes(context: AppContext, options: ListOptions): AsyncIterable<string> {
  const {
    clock,
    signal,
    settings,
    terminal: { notice },
  } = context;
  const period = typeof options.watch === 'number' ? options.watch : usualPeriod;
  const live = await context.connections.openLongLived({
    onWait: (until, what) => {
      notice(`${formatWait(until - clock.now())} ${what}`);
      return () => {};
    },
    endsOnSignal: true,
  });
  let round = await ended(signal, read(live.client, options));
  if (!round) return;
  notice(begun(round, options, period));
  let allowances: readonly Allowance[] = [];
  let told = period;
  let failures = 0;
  let again = 0;
  for (;;) {
    const { windows = [] } = (await live.quota()) ?? {};
    const now = clock.now();
    const pace = paceAfter(allowances, windows, { now, spent: round.requests, period });
    allowances = pace.allowances;
    // What fails is asked less and less often.
    const pause = Math.max(pace.pause, again - now, failures === 0 ? 0 : slower(period, failures));
    if (pause > 2 * told && failures === 0) {
      notice(`asking every ${formatDuration(pause)}, since half of the quota stays untouched`);
      told = pause;
    }
    await ended(signal, clock.sleep(pause, signal));
    if (signal.aborted) return;
    again = 0;
    try {
      const next = await ended(signal, read(live.client, options));
      if (!next) return;
      failures = 0;
      const lines = compare(round, next).map((one) =>
        lineOf(one, settings.output, settings.fields),
      );
      round = next;
      // Nothing too, so that a reader who is gone is noticed.
      yield lines.join('');
    } catch (error) {
      if (!(error instanceof Failure) || !passing.includes(error.kind)) throw error;
      again = error.details.retryAt ?? 0;
      if (failures === 0) context.terminal.warn(`${error.message}; going on`);
      failures += 1;
    }
  }
}

/** What may be over the next time. */
const passing = ['network', 'service', 'rate-limited'];
const longestPause = 60_000;

function slower(period: number, failures: number): number {
  return Math.max(period, Math.min(longestPause, period * 2 ** Math.min(failures, 10)));
}

interface Read extends Round {
  readonly requests: number;
}

/** The pets of one request, or of every page with `--all`. */
async function read(
  client: Client,
  { status, limit = listLimit.maximum, all }: ListOptions,
): Promise<Read> {
  const pets: PetRecord[] = [];
  let requests = 0;
  let paged = false;
  let isWhole = true;
  for await (const { value, hasNext } of client.paginate(listPets, {
    limit,
    ...(status && { status }),
  })) {
    requests += 1;
    for (const pet of value) pets.push(pet);
    paged ||= hasNext;
    isWhole = all ? paged || value.length < limit : !hasNext && value.length < limit;
    if (!all) break;
  }
  return { ...roundOf(pets, isWhole), requests };
}

/** The result of work, or nothing where the user or the system ended the command meanwhile. */
async function ended<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function begun({ pets, isWhole }: Round, { all }: ListOptions, period: number): string {
  const count = `${pets.size} ${pets.size === 1 ? 'pet' : 'pets'}`;
  const rest = isWhole ? '' : all ? '; there may be more' : '; more may follow (--all)';
  return `watching ${count}, every ${formatDuration(period)}${rest}; Ctrl-C ends it`;
}
