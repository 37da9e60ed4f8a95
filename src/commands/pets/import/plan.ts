import type { AppContext } from '../../../app/context.js';
import { dayMs, minuteMs } from '../../../clock.js';
import { productionProfileName } from '../../../config/profile.js';
import { getTargetLabel } from '../../../config/settings.js';
import { canceledError, usageError } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { formatShellWord } from '../../../format/shell.js';
import { forecast, type QuotaWindow } from '../../../quota/forecast.js';
import {
  type JournalContent,
  type JournalHeader,
  type JournalRow,
  type JournalStore,
  readHeaders,
  readJournal,
} from './journal.js';

/** What identifies an import. */
export interface ImportIdentity {
  readonly service: string;
  /** The absolute path of the input; undefined for a pipe. */
  readonly path: string | undefined;
  readonly digest: string;
  readonly rows: readonly { readonly key: string }[];
}

/** Which journal an import writes, and what its rows have in common with those of earlier runs. */
export interface ImportPlan {
  /**
   * `same`: the journal has this content, or was named by the user. `changed`: the input changed, but has every row that was
   * added. `replaced`: it does not.
   */
  readonly relation: 'new' | 'same' | 'changed' | 'replaced';
  readonly journal: string;
  /** The path for a new journal. */
  readonly newJournal: string;
  /** The number of rows of the input. */
  readonly rows: number;
  /** Rows of the input that were added before. */
  readonly added: number;
  /** Rows of the input that are neither added nor unknown. */
  readonly left: number;
  /** Rows that were added before, but which the input does not have. */
  readonly missing: number;
}

interface KnownJournal extends JournalContent {
  readonly path: string;
}

/** Reads the journals and plans an import. `named` is the value of `--journal`. */
export function planImport(identity: ImportIdentity, store: JournalStore, named?: string): ImportPlan {
  const read = (path: string) => ({ path, ...readJournal(store.readLines(path), path) });
  if (named !== undefined) return planWithJournal(identity, read(named));
  const prefix = `${identity.service.slice(0, 16)}-`;
  const paths = store.list(prefix);
  const related = paths.filter((path) => isRelated(readHeaders(store.readLines(path), path), identity));
  const { relation, journal } = chooseJournal(identity, related.map(read));
  // A new journal is named by its service and content, so that two first runs meet at its lock.
  const name = `${prefix}${identity.digest.slice(0, 16)}`;
  let newJournal = store.pathOf(`${name}.journal`);
  for (let number = 2; paths.includes(newJournal); number += 1) newJournal = store.pathOf(`${name}-${number}.journal`);
  return { relation, journal: journal?.path ?? newJournal, newJournal, ...countRows(identity, journal) };
}

/** Returns whether a journal may be that of an import, by its headers alone. */
function isRelated(headers: readonly JournalHeader[], { service, digest, path }: ImportIdentity): boolean {
  const newest = headers.at(-1);
  if (newest?.service !== service) return false;
  return headers.some((header) => header.digest === digest) || (path !== undefined && newest.path === path);
}

/** Chooses the journal that an import continues. */
function chooseJournal(
  identity: ImportIdentity,
  journals: readonly KnownJournal[],
): { readonly relation: ImportPlan['relation']; readonly journal?: KnownJournal } {
  const { path, digest } = identity;
  const startOf = ({ headers }: KnownJournal) => headers.at(-1)?.at ?? 0;
  const newest = [...journals].sort((one, other) => startOf(other) - startOf(one));
  const same = newest.find(
    (journal) =>
      journal.headers.some((header) => header.digest === digest) &&
      // A pipe may bring the same rows again on purpose, but not while its import is unfinished.
      (path !== undefined || !isFinished(journal, identity)),
  );
  if (same) return { relation: 'same', journal: same };
  const journal = newest.find(({ headers, rows }) => path && headers.at(-1)?.path === path && rows.size > 0);
  if (!journal) return { relation: 'new' };
  return { relation: countRows(identity, journal).missing > 0 ? 'replaced' : 'changed', journal };
}

function isFinished({ rows: known }: JournalContent, { rows }: ImportIdentity): boolean {
  return rows.every(({ key }) => !['sent', undefined].includes(known.get(key)?.state));
}

/** Plans an import with the journal that `--journal` names. Throws a usage error if it belongs to another service. */
function planWithJournal(identity: ImportIdentity, journal: KnownJournal): ImportPlan {
  const { path, headers, rows } = journal;
  if (headers.length > 0 && headers.at(-1)?.service !== identity.service) {
    throw usageError(
      'other_journal',
      `${path} is the journal of an import into another service, or into sandbox data that was reset`,
      'pass --journal with a new file name',
    );
  }
  const relation = rows.size > 0 ? 'same' : 'new';
  return { relation, journal: path, newJournal: path, ...countRows(identity, journal) };
}

function countRows({ rows }: ImportIdentity, journal?: JournalContent) {
  const count = (state: JournalRow['state']) =>
    rows.reduce((sum, { key }) => (journal?.rows.get(key)?.state === state ? sum + 1 : sum), 0);
  const added = count('added');
  let addedBefore = 0;
  for (const { state } of journal?.rows.values() ?? []) if (state === 'added') addedBefore += 1;
  return { rows: rows.length, added, left: rows.length - added - count('unknown'), missing: addedBefore - added };
}

/**
 * Prompts for the import on a terminal. Elsewhere, running the command confirms it, but a changed file needs `--yes`, and
 * a replaced one `--journal`. Resolves to the path of the journal. `name` is that of the input.
 */
export async function confirmImport(context: AppContext, plan: ImportPlan, name: string): Promise<string> {
  const { settings, terminal } = context;
  const { relation, journal, rows, added, left } = plan;
  if (relation === 'replaced') return confirmReplaced(context, plan, name);
  if (left === 0 || (!terminal.prompts.isInteractive && relation !== 'changed')) return journal;
  const before = `${formatNumber(added)} of ${formatCount(rows, 'row')} ${added === 1 ? 'was' : 'were'} added before`;
  const others = added > 0 ? `the other ${left === 1 ? 'row' : formatCount(left, 'row')}` : formatCount(left, 'row');
  const question = `Add ${others} to ${getTargetLabel(settings)}?`;
  const isConfirmed = await terminal.prompts.confirm({
    message: `${added > 0 ? `${before}. ` : ''}${question} ${await describeTime(context, left)}`,
    default: settings.profile !== productionProfileName,
    missingInput: {
      message: `${name} changed since its import: ${before}`,
      missing: [{ syntax: '--yes' }],
      hint: `pass --yes to add ${others}, or pass --journal with a new file name to add all rows`,
    },
  });
  if (!isConfirmed) throw canceledError();
  return journal;
}

async function confirmReplaced({ settings, terminal }: AppContext, plan: ImportPlan, name: string): Promise<string> {
  const { rows, left, missing, journal, newJournal } = plan;
  const verb = missing === 1 ? 'is' : 'are';
  const message = `${name} was replaced since its import: ${formatCount(missing, 'row')} that ${missing === 1 ? 'was' : 'were'} added ${verb} missing`;
  const onlyLeft = `only the ${formatCount(left, 'row')} that ${left === 1 ? 'was' : 'were'} not added before`;
  const hint = `pass --journal with a new file name to add all rows, or pass --journal ${formatShellWord(journal)} to add ${onlyLeft}`;
  const missingInput = { message, missing: [{ syntax: '--journal <file>' }], hint };
  if (settings.yes) throw usageError('missing_input', message, hint, { missing: missingInput.missing });
  const choice = await terminal.prompts.select<string | undefined>({
    message: `${message}. Which rows should be added to ${getTargetLabel(settings)}?`,
    choices: [
      { value: newJournal, name: `all ${formatCount(rows, 'row')}` },
      { value: journal, name: onlyLeft },
      { value: undefined, name: 'none (cancel)' },
    ],
    missingInput,
  });
  if (choice === undefined) throw canceledError();
  return choice;
}

/** Returns how long the quota makes an import take, or after how many rows it stops. Sends nothing. */
async function describeTime(context: AppContext, count: number): Promise<string> {
  const now = context.clock.now();
  const { maxWaitMs } = context.settings;
  const windows = await findWindows(context, now);
  if (windows.length === 0) return 'The time is unknown until the first response shows the quota.';
  const { timeMs, maxRows } = forecast(count, windows, { now, maxWaitMs });
  if (maxRows === 0) return 'No row can be added now: the wait for the quota is longer than --max-wait.';
  if (count > maxRows) {
    const stop = `The import stops after at most ${formatCount(maxRows, 'row')}`;
    return `${stop}, because the wait for the quota is longer than --max-wait. Rerun the command to resume.`;
  }
  // How long the service takes for each request is unknown.
  return timeMs === 0 ? 'The quota allows it without a wait.' : `This takes at least ${formatDuration(timeMs)}.`;
}

/** Returns the windows of the quota that are known; those of the plan for a sandbox that has had no request yet. */
async function findWindows(context: AppContext, now: number): Promise<readonly QuotaWindow[]> {
  const { windows, block, seenAt } = await context.quota.lastSeen();
  const blocks =
    block && block.endsAt > now ? [{ limit: Number.POSITIVE_INFINITY, remaining: 0, endsAt: block.endsAt }] : [];
  const { baseUrl } = await context.config.account();
  if (seenAt > 0 || baseUrl !== undefined) return [...windows, ...blocks];
  const { perMinute, perDay } = (await context.sandbox()).limits;
  return [
    { limit: perMinute, remaining: perMinute, endsAt: now + minuteMs },
    { limit: perDay, remaining: perDay, endsAt: now + dayMs },
  ];
}
