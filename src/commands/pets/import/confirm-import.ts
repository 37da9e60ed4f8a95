import type { Quota } from '../../../api/rate-limit-headers.js';
import type { AppContext } from '../../../app/context.js';
import { mayWait } from '../../../client/limit-hint.js';
import { minuteMs } from '../../../clock.js';
import { productionProfileName } from '../../../config/profile.js';
import { getTargetLabel } from '../../../config/settings.js';
import { canceledError, type Hint, usageError } from '../../../failure.js';
import { formatCount, formatDuration, formatNumber } from '../../../format/duration.js';
import { formatHint } from '../../../format/hint.js';
import { formatShellWord } from '../../../format/shell.js';
import { admit, type Wait } from '../../../quota/admit.js';
import type { Question } from '../../../terminal/run-prompt.js';
import type { CheckedInput } from './check-rows.js';
import type { ImportRelation } from './compare-imports.js';
import type { EarlierRuns } from './open-journal.js';
import { estimateTimeMs, findMaxRequests } from './progress.js';

/** Throws a usage error if the user would type the rows: after the end of that input, no prompt is possible. */
export function checkTypedRows({ settings, terminal }: AppContext): void {
  if (settings.yes || !terminal.prompts.isInteractive) return;
  const message = 'the import needs confirmation, but standard input is used for the rows';
  throw usageError('missing_input', message, 'pass --yes', { missing: [{ syntax: '--yes' }] });
}

/** Prompts for a confirmation; without a terminal, running the command confirms it. */
export async function confirmImport(
  context: AppContext,
  { rowCount, invalidCount }: CheckedInput,
  { sentRows, hasUnknownRows }: EarlierRuns,
): Promise<void> {
  if (!context.terminal.prompts.isInteractive) return;
  const left = rowCount - invalidCount - sentRows;
  const count = Math.max(1, left);
  await ask(context, count, {
    rows: sentRows > 0 ? describeRemainingRows(left, hasUnknownRows) : formatCount(count, 'row'),
    isDefault: context.settings.profile !== productionProfileName,
    missingInput: { message: 'the import needs confirmation', missing: [{ syntax: '--yes' }] },
  });
}

function describeRemainingRows(left: number, hasUnknownRows: boolean): string {
  // After a power cut, more rows may count as sent than the input has.
  if (left <= 0) return 'the remaining rows';
  // Rows whose outcome is unknown count as sent, but may be sent again.
  if (hasUnknownRows) return `the remaining rows (at least ${formatNumber(left)})`;
  return `the remaining ${left === 1 ? 'row' : formatCount(left, 'row')}`;
}

/**
 * Warns that an earlier import may have added these pets, and prompts. Without a terminal, `--yes` confirms it.
 * `formatResume` returns the hint that resumes an import with a journal.
 */
export async function confirmRepeatedImport(
  context: AppContext,
  { rowCount, invalidCount }: CheckedInput,
  { kind, earlier: { isFinished, path } }: ImportRelation,
  { name, formatResume }: { readonly name: string; readonly formatResume: (journal: string) => Hint },
): Promise<void> {
  const state = isFinished ? '' : 'unfinished ';
  const problem =
    kind === 'changed'
      ? `${name} changed since its ${state}import`
      : `the content of ${name} was ${isFinished ? '' : 'partly '}imported to this service with another API key`;
  const { settings, terminal } = context;
  // No punctuation follows the command, so that none is copied with it.
  const resume =
    kind === 'changed' ? 'Restore the file to resume that import.' : `To avoid that, ${formatHint(formatResume(path))}`;
  const warning = `${problem}. The same pets may be added again.`;
  if (settings.yes || terminal.prompts.isInteractive) terminal.warn(isFinished ? warning : `${warning} ${resume}`);
  const left = rowCount - invalidCount;
  await ask(context, left, {
    rows: `${left === 1 ? '' : 'all '}${formatCount(left, 'row')}`,
    isDefault: false,
    missingInput: {
      message: problem,
      missing: [{ syntax: '--yes' }],
      hint:
        kind === 'other-key' && !isFinished
          ? `pass --journal ${formatShellWord(path)} to add only the other rows, or pass --yes to import all rows`
          : 'pass --yes to import all rows, or pass --journal with a new file name',
    },
  });
}

async function ask(
  context: AppContext,
  count: number,
  options: { readonly rows: string; readonly isDefault: boolean; readonly missingInput: Question['missingInput'] },
): Promise<void> {
  const { settings, terminal } = context;
  const isConfirmed = await terminal.prompts.confirm({
    message: `Add ${options.rows} to ${getTargetLabel(settings)}? ${await describeTime(context, count)}`,
    missingInput: options.missingInput,
    default: options.isDefault,
  });
  if (!isConfirmed) throw canceledError();
}

/** Returns the minimum time of the import, or after how many rows it stops. Sends nothing. */
async function describeTime(context: AppContext, count: number): Promise<string> {
  const now = context.clock.now();
  const { maxWaitMs } = context.settings;
  const state = await context.quota.lastSeen();
  const { wait } = admit(state, now);
  // A probe of another process ends with its response, long before its timeout.
  const waitMs = wait && wait.reason !== 'probe-in-flight' ? wait.endsAt - now : 0;
  if (wait && !mayWait(wait.reason, waitMs, maxWaitMs)) {
    const problem = `${describePause(wait)} for ${formatDuration(waitMs)}`;
    return `${problem}, longer than --max-wait: no pet can be added now.`;
  }
  const quota = state.seenAt === 0 ? await findSandboxQuota(context, now) : state.quota;
  if (!quota) return 'The time is unknown until the first response shows the quota.';
  const windows = state.windows.map(({ endsAt, ...window }) => ({ ...window, resetAt: endsAt }));
  const maxRows = Math.min(...[quota, ...windows].map((one) => findMaxRequests(one, now, maxWaitMs)));
  if (count > maxRows) return describeStop(maxRows);
  const timeMs = estimateTimeMs(count, quota, now);
  if (timeMs === undefined) return 'The time is unknown.';
  const totalMs = Math.max(timeMs, waitMs);
  if (totalMs === 0) return 'The quota allows it without a wait.';
  // How long the service takes for each request is unknown.
  return `This should take at least ${formatDuration(totalMs)}.`;
}

function describeStop(maxRows: number): string {
  const reason = 'because the wait for the quota is longer than --max-wait.';
  if (maxRows === 0) return `No pet can be added now, ${reason}`;
  return `The import stops after at most ${formatCount(maxRows, 'row')}, ${reason} Rerun the command to resume.`;
}

function describePause({ reason, dayLimit }: Wait): string {
  return reason === 'block' && dayLimit === undefined ? 'Requests are paused' : 'The quota is used up';
}

/** Returns the quota of a sandbox that has had no request yet; undefined for other services. */
async function findSandboxQuota(context: AppContext, now: number): Promise<Quota | undefined> {
  const { baseUrl } = await context.config.account();
  if (baseUrl !== undefined) return undefined;
  const { perMinute } = (await context.sandbox()).limits;
  return { limit: perMinute, remaining: perMinute, resetAt: now + minuteMs };
}
