import { listPets } from '../../api/operations.js';
import { listLimit, type PetRecord } from '../../api/pet.js';
import type { AppContext, Connection } from '../../app/context.js';
import { canceledError, Failure } from '../../failure.js';
import { formatCount, formatDuration } from '../../format/duration.js';
import { formatExactNumber } from '../../format/json.js';
import { formatCommand, getTargetFlags } from './format-command.js';
import { limitToHalfQuota } from './half-quota.js';

/** Prompts for one pet of the service. A filter loads more pages as needed, with at most half of the remaining quota. */
export async function pickPet(context: AppContext): Promise<PetRecord> {
  const { clock, terminal, flags } = context;
  const done = new AbortController();
  const notices: string[] = [];
  const connection = await context.connections.open({
    signal: done.signal,
    onWait: (until, reason) => {
      const text = () => `Waiting ${formatDuration(Math.max(0, until - clock.now()))} ${reason}`;
      const stop = terminal.showWait(text);
      return () => void stop?.();
    },
    onDiagnostic: (text) => notices.push(text),
  });
  const pages = openPages(context, connection);
  try {
    const progress = terminal.startProgress(() => 'Fetching pets');
    await pages.loadFirst().finally(progress.stop);
    if (pages.choices.length === 0) {
      throw new Failure('not-found', {
        code: 'no_pets',
        message: 'the service has no pets',
        hint: `run ${formatCommand(['pets', 'add'], getTargetFlags(flags))} to add one`,
      });
    }
    return await terminal.prompts.search({
      message: 'Which pet?',
      missingInput: ['the id of the pet is missing', 'pass an id'],
      choices: pages.choices,
      loadMore: pages.loadMore,
      describeSearch: pages.describe,
    });
  } finally {
    done.abort(canceledError());
    for (const text of notices) terminal.notice(text);
  }
}

function openPages({ clock }: AppContext, { client, ledgerEntry }: Connection) {
  const choices: { readonly value: PetRecord; readonly name: string }[] = [];
  const iterator = client.paginate(listPets, { limit: listLimit.maximum });
  const waitForHalfQuota = limitToHalfQuota({
    clock,
    findWindows: async () => (await ledgerEntry()).windows,
    maxWaitMs: 0,
  });
  let hasNext = true;
  let problem = '';
  const load = async () => {
    const { done, value } = await iterator.next();
    hasNext = !done && value.hasNext;
    for (const pet of done ? [] : value.value) choices.push({ value: pet, name: formatChoice(pet) });
  };
  const tryLoad = async () => {
    if (!hasNext) return false;
    problem = '';
    try {
      await waitForHalfQuota(new AbortController().signal, () => () => {});
      await load();
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problem = `: ${error.message}`;
      return false;
    }
  };
  let loading: Promise<boolean> | undefined;
  return {
    choices,
    loadFirst: load,
    /** Loads one page, even if it is called again meanwhile. */
    loadMore: () => {
      loading ??= tryLoad().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    describe: () => {
      const count = formatCount(choices.length, 'pet');
      return hasNext ? `Searched the first ${count}${problem}` : `Searched ${count}`;
    },
  };
}

function formatChoice({ id, name, status }: PetRecord): string {
  const suffix = status === undefined ? '' : ` (${status})`;
  return `${formatExactNumber(id) ?? '-'} ${name}${suffix}`;
}
