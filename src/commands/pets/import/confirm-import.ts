import type { Quota } from '../../../api/rate-limit-headers.js';
import type { AppContext } from '../../../app/context.js';
import { minuteMs } from '../../../clock.js';
import { getTargetLabel } from '../../../config/settings.js';
import { canceledError } from '../../../failure.js';
import { formatCount, formatDuration } from '../../../format/duration.js';
import type { Question } from '../../../terminal/run-prompt.js';
import type { CheckedInput } from './check-rows.js';
import type { ImportRelation } from './compare-imports.js';
import type { EarlierRuns } from './open-journal.js';
import { estimateTimeMs } from './progress.js';

/** Prompts for a confirmation; without a terminal, running the command confirms it. */
export async function confirmImport(
  context: AppContext,
  { rowCount, invalidCount }: CheckedInput,
  { sentRows }: EarlierRuns,
): Promise<void> {
  if (!context.terminal.prompts.isInteractive) return;
  // After a power cut more rows may count as sent than there are.
  const left = Math.max(1, rowCount - invalidCount - sentRows);
  await ask(context, left, {
    rows: `${sentRows > 0 ? 'the remaining ' : ''}${formatCount(left, 'row')}`,
    isDefault: true,
    missingInput: { message: 'the import needs confirmation', missing: [{ syntax: '--yes' }] },
  });
}

/** Warns that an earlier import may have added these pets, and prompts. Without a terminal, `--yes` confirms it. */
export async function confirmRepeatedImport(
  context: AppContext,
  { rowCount, invalidCount }: CheckedInput,
  { kind, earlier: { isFinished } }: ImportRelation,
  name: string,
): Promise<void> {
  const state = isFinished ? '' : 'unfinished ';
  const problem =
    kind === 'changed'
      ? `${name} changed since its ${state}import`
      : `the content of ${name} was imported to ${getTargetLabel(context.settings)} with another API key`;
  const advice =
    kind === 'changed' && !isFinished ? 'To resume that import, restore the file' : 'The same pets may be added again';
  const { settings, terminal } = context;
  if (settings.yes || terminal.prompts.isInteractive) terminal.warn(`${problem}. ${advice}.`);
  const left = rowCount - invalidCount;
  await ask(context, left, {
    rows: `all ${formatCount(left, 'row')}`,
    isDefault: false,
    missingInput: {
      message: problem,
      missing: [{ syntax: '--yes' }],
      hint: 'pass --yes to import all rows, or pass --journal with a new file name',
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

/** Returns how long the import takes at the quota, without a request. */
async function describeTime(context: AppContext, count: number): Promise<string> {
  const now = context.clock.now();
  const { seenAt, quota } = await context.quota.lastSeen();
  const known = seenAt === 0 ? await findSandboxQuota(context, now) : quota;
  if (!known) return 'The time is unknown until the first response shows the quota.';
  const { maxWaitMs, reserve } = context.settings;
  const { remaining = 0, resetAt = now } = known;
  const waitMs = remaining > reserve ? 0 : resetAt - now;
  if (waitMs > maxWaitMs + resetToleranceMs) {
    return `The quota is used up for ${formatDuration(waitMs)}, which is longer than --max-wait.`;
  }
  const timeMs = estimateTimeMs(count, known, now, reserve);
  if (timeMs === undefined) return 'The time is unknown.';
  return timeMs === 0 ? 'The quota allows it without a wait.' : `This should take ${formatDuration(timeMs)}.`;
}

/** Resets are in whole seconds, so the wait for a window of a minute may seem longer than a minute. */
const resetToleranceMs = 3_000;

/** Returns the quota of a sandbox that has had no request yet; undefined for other services. */
async function findSandboxQuota(context: AppContext, now: number): Promise<Quota | undefined> {
  const { baseUrl } = await context.config.account();
  if (baseUrl !== undefined) return undefined;
  const { perMinute } = (await context.sandbox()).limits;
  return { limit: perMinute, remaining: perMinute, resetAt: now + minuteMs };
}
