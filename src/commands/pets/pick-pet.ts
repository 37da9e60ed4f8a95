import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord } from '../../api/pet.js';
import type { AppContext, Connection } from '../../app/context.js';
import { getTargetFlags } from '../../config/settings.js';
import { canceledError, Failure } from '../../failure.js';
import { formatCount, formatDuration, formatWait } from '../../format/duration.js';
import { formatExactNumber } from '../../format/json.js';
import type { Choice } from '../../terminal/run-prompt.js';
import { limitToHalfQuota, type OnBackgroundWait } from './half-quota.js';

/** Prompts for one pet of the service. A filter loads every page, with at most half of the remaining quota. */
export async function pickPet(context: AppContext): Promise<PetRecord> {
  const { clock, terminal, flags } = context;
  const done = new AbortController();
  const notices: string[] = [];
  let describeWait = () => '';
  const onWait = (until: number, reason: string) => {
    const text = () => `Waiting ${formatWait(until - clock.now())} ${reason}`;
    const stop = terminal.showWait(text);
    describeWait = () => `. ${text()}`;
    return () => {
      describeWait = () => '';
      void stop?.();
    };
  };
  const onDiagnostic = (text: string) => notices.push(text);
  const connection = await context.connections.open({ signal: done.signal, onWait, onDiagnostic });
  const onBackgroundWait = (until: number) => onWait(until, 'to leave half of the quota');
  const pages = openPages(context, connection, onBackgroundWait, done.signal);
  try {
    const progress = terminal.startProgress(() => 'Fetching pets');
    await pages.loadFirst().finally(progress.stop);
    if (pages.choices.length === 0) {
      throw new Failure('not-found', {
        code: 'no_pets',
        message: 'the service has no pets',
        hint: ['run ', { words: ['pets', 'add', ...getTargetFlags(flags)], isShownOnly: true }, ' to add one'],
      });
    }
    return await terminal.prompts.search({
      message: 'Which pet?',
      missingInput: { message: 'the id of the pet is missing', missing: [{ syntax: 'petId' }], hint: 'pass an id' },
      choices: pages.choices,
      loadMore: pages.loadMore,
      describeChoices: () => `${pages.describe()}${describeWait()}`,
    });
  } finally {
    done.abort(canceledError());
    for (const text of notices) terminal.notice(text);
  }
}

function openPages(
  { clock, settings }: AppContext,
  { client, quotaState }: Connection,
  onWait: OnBackgroundWait,
  signal: AbortSignal,
) {
  const choices: Choice<PetRecord>[] = [];
  const iterator = client.paginate(listPets, { limit: listLimit.maximum });
  const waitForHalfQuota = limitToHalfQuota({
    clock,
    findWindows: async () => (await quotaState()).windows,
    // Prompts for screen readers show no countdown.
    maxWaitMs: settings.accessible ? 0 : settings.maxWaitMs,
  });
  let hasNext = true;
  let isLoading = false;
  let problem: Failure | undefined;
  const load = async () => {
    const { done, value } = await iterator.next();
    hasNext = !done && value.hasNext;
    for (const pet of done ? [] : value.value) choices.push(toChoice(pet));
  };
  const loadMore = async () => {
    problem = undefined;
    isLoading = true;
    try {
      await waitForHalfQuota(signal, onWait);
      await load();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problem = error;
    } finally {
      isLoading = false;
    }
    return hasNext && !problem;
  };
  return {
    choices,
    loadFirst: load,
    loadMore: async () => hasNext && (await loadMore()),
    describe: () => {
      const count = formatCount(choices.length, 'pet');
      if (!hasNext) return count;
      if (isLoading) return `${count} so far`;
      return `the first ${count}${problem ? `: ${describeProblem(problem, clock.now())}` : ''}`;
    },
  };
}

function describeProblem({ details: { message, retryAt } }: Failure, now: number): string {
  return retryAt === undefined ? message : `${message}; retry in ${formatDuration(Math.max(0, retryAt - now))}`;
}

function toChoice(pet: PetRecord): Choice<PetRecord> {
  const { id, name, status } = pet;
  const filterText = `${formatExactNumber(id) ?? '-'} ${name}`;
  return { value: pet, filterText, name: status === undefined ? filterText : `${filterText} (${status})` };
}
