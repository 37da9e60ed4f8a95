import type { Connection } from '../../../app/connections.js';
import type { AppContext } from '../../../app/context.js';
import type { JournalDirectory } from '../../../app/files.js';
import { dayMs, minuteMs } from '../../../clock.js';
import { productionProfileName } from '../../../config/profile.js';
import { getTargetLabel } from '../../../config/settings.js';
import { canceledError, usageError } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { formatShellWord } from '../../../format/shell.js';
import { forecast } from '../../../quota/forecast.js';
import type { Prompter } from '../../../terminal/prompter.js';
import { createJournal, type ImportIdentity, type JournalContent, type JournalRow, readJournal } from './journal.js';

/** Which journal an import writes, and what its rows have in common with those of earlier runs. */
export interface ImportPlan {
  readonly journal: JournalContent;
  /** The path for a new journal. */
  readonly newPath: string;
  /** True if the journal is that of the path, but its content is another. */
  readonly isChanged: boolean;
  /** The number of rows of the input. */
  readonly rows: number;
  /** Rows of the input that were added before. */
  readonly added: number;
  /** Rows of the input that can be added. The outcome of the others is unknown. */
  readonly left: number;
  /** Rows that were added before, but which the changed input does not have: it was replaced. */
  readonly missing: number;
}

type KeyedRow = { readonly key: string };

/** Reads the journals and plans an import of these rows. `named` is the value of `--journal`. */
export function planImport(
  identity: ImportIdentity,
  rows: readonly KeyedRow[],
  journals: JournalDirectory,
  named?: string,
): ImportPlan {
  const { service, account, digest } = identity;
  const prefix = `${service.slice(0, 16)}-`;
  const files = named === undefined ? journals.list(prefix) : [];
  // A new journal is named by its service and content, so that two first runs meet at its lock.
  const name = journals.pathOf(`${prefix}${digest.slice(0, 16)}`);
  let newPath = named ?? `${name}.journal`;
  for (let number = 2; files.includes(newPath); number += 1) newPath = `${name}-${number}.journal`;
  const known =
    named === undefined ? findJournal(identity, rows, journals, files) : { journal: readJournal(journals, named) };
  const { journal = createJournal(newPath), isChanged = false } = known;
  if (journal.headers.some((header) => header.service !== service)) {
    const message = `${journal.path} is the journal of an import into another service, or into sandbox data that was reset`;
    throw usageError('other_journal', message, 'pass --journal with a new file name');
  }
  const states = rows.map(({ key }) => journal.rows.get(key));
  const isAdded = (row: JournalRow | undefined) => row?.state === 'added';
  const added = states.filter(isAdded).length;
  const unknown = states.filter((row) => row?.state === 'unknown' || (row?.account ?? account) !== account).length;
  return {
    journal,
    newPath,
    isChanged,
    rows: rows.length,
    added,
    left: rows.length - added - unknown,
    missing: isChanged ? [...journal.rows.values()].filter(isAdded).length - added : 0,
  };
}

/** Finds the newest journal with the same content, else the newest with the same path. */
function findJournal(
  { path, digest }: ImportIdentity,
  rows: readonly KeyedRow[],
  journals: JournalDirectory,
  files: readonly string[],
): { readonly journal?: JournalContent | undefined; readonly isChanged?: boolean } {
  const hasContent = ({ headers }: JournalContent) => headers.some((header) => header.digest === digest);
  /** Returns the start of the journal's newest run with this content or path. */
  const findStart = ({ headers }: JournalContent) =>
    headers.findLast((header) => header.digest === digest || (path !== undefined && header.path === path))?.at;
  const isFinished = (journal: JournalContent) =>
    rows.every(({ key }) => !['sent', undefined].includes(journal.rows.get(key)?.state));
  const related = files
    .map((file) => readJournal(journals, file, { headersOnly: true }))
    .filter((journal) => findStart(journal) !== undefined)
    .sort((one, other) => (findStart(other) ?? 0) - (findStart(one) ?? 0))
    .map((journal) => readJournal(journals, journal.path));
  // A pipe may bring the same rows again on purpose, but not while its import is unfinished.
  const same = related.find((one) => hasContent(one) && (path !== undefined || !isFinished(one)));
  const journal = same ?? related.find((one) => path !== undefined && one.rows.size > 0);
  return { journal, isChanged: journal !== same };
}

/**
 * Asks on a terminal, except for standard input: there, no prompt is possible. Elsewhere, running the command confirms an
 * import, but a changed file needs `--yes`, and a replaced one `--journal`. Resolves to the path of the journal.
 */
export async function confirmImport(
  context: AppContext,
  connection: Connection,
  plan: ImportPlan,
  name: string,
): Promise<string> {
  const { settings, terminal } = context;
  const { journal, isChanged, rows, added, left, missing } = plan;
  const target = getTargetLabel(settings);
  if (missing > 0) return chooseJournal(plan, name, target, terminal.prompts);
  if (left === 0 || !(isChanged || (terminal.prompts.isInteractive && name !== '-'))) return journal.path;
  const before = `${formatNumber(added)} of ${formatCount(rows, 'row')} ${added === 1 ? 'was' : 'were'} added before`;
  const others = `${added > 0 ? 'the other ' : ''}${formatCount(left, 'row')}`;
  const question = `Add ${others} to ${target}?`;
  const time = await describeTime(context, connection, left);
  await terminal.prompts.confirm({
    message: [...(added > 0 ? [`${before}.`] : []), question, ...time].join(' '),
    default: settings.profile !== productionProfileName,
    problem: `${name} changed since its import: ${before}`,
    hint: `pass --yes to add ${others}, or pass --journal with a new file name to add all rows`,
  });
  return journal.path;
}

/** Asks which rows of a replaced file to add. Resolves to the path of the journal. */
async function chooseJournal(
  { journal, newPath, rows, left, missing }: ImportPlan,
  name: string,
  target: string,
  prompts: Prompter,
): Promise<string> {
  const lacks = `it lacks ${formatCount(missing, 'row')} of those that were added`;
  const message = `${name} was replaced since its import: ${lacks}`;
  const others = `only the ${formatCount(left, 'row')} not added before`;
  const hint = `pass --journal with a new file name to add all rows, or pass --journal ${formatShellWord(journal.path)} to add ${others}`;
  const choice = await prompts.select<string | undefined>({
    message: `${message}. Which rows should be added to ${target}?`,
    choices: [
      { value: newPath, name: `all ${formatCount(rows, 'row')}` },
      { value: journal.path, name: others },
      { value: undefined, name: 'none (cancel)' },
    ],
    missingInput: { message, missing: [{ syntax: '--journal <file>' }], hint },
  });
  if (choice === undefined) throw canceledError();
  return choice;
}

/** Returns how long the quota makes an import take, or after how many rows it stops; nothing if it does neither. Sends nothing. */
async function describeTime(context: AppContext, connection: Connection, count: number): Promise<readonly string[]> {
  const now = context.clock.now();
  const windows = await findWindows(context, connection, now);
  if (windows.length === 0) return ['The time is unknown until the first response shows the quota.'];
  const { timeMs, maxRows } = forecast(count, windows, { now, maxWaitMs: context.settings.maxWaitMs });
  if (count > maxRows) {
    const stop =
      maxRows > 0 ? `The import stops after at most ${formatCount(maxRows, 'row')}` : 'No row can be sent now';
    return [`${stop}, because the wait for the quota is longer than --max-wait. Rerun the command later to resume.`];
  }
  // How long the service takes for each request is unknown.
  return timeMs === 0 ? [] : [`This takes at least ${formatDuration(timeMs)}.`];
}

/** Returns the windows of the quota that are known; those of the plan for a sandbox that has had no request yet. */
async function findWindows({ sandbox }: AppContext, { quotaState, dataId }: Connection, now: number) {
  const { windows, block, seenAt } = await quotaState();
  if (block && block.endsAt > now) return [{ limit: Number.POSITIVE_INFINITY, remaining: 0, endsAt: block.endsAt }];
  if (seenAt > 0 || (await dataId()) === undefined) return windows;
  const { perMinute, perDay } = (await sandbox()).limits;
  return [
    { limit: perMinute, remaining: perMinute, endsAt: now + minuteMs },
    { limit: perDay, remaining: perDay, endsAt: now + dayMs },
  ];
}
