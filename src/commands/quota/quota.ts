import { classifyWindow, type Quota } from '../../api/rate-limit-headers.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult, OutputRecord } from '../../cli/command-result.js';
import { getTargetFlags, getTargetLabel } from '../../config/settings.js';
import { findPauseEnd, findSpanEnd, type QuotaState } from '../../quota/quota-state.js';
import { sendMinimalRequest } from '../send-minimal-request.js';
import { formatWindows } from './format-windows.js';

export interface QuotaFlags {
  readonly refresh?: true;
  readonly reset?: true;
}

/** Prints the last known quota of the account. Sends a request only with `refresh`, and only if one is left. */
export async function quota(context: AppContext, { refresh, reset }: QuotaFlags): Promise<void> {
  const { columns, settings, terminal } = context;
  const { problem } = await context.config.account();
  if (problem) throw problem;
  if (reset) await resetState(context);
  if (reset && !refresh) return;
  if (refresh) await sendRequest(context);
  const state = await context.quota.lastSeen();
  if (state.seenAt > 0) return context.print(await reportQuota(state, context));
  const refreshed = { words: ['quota', '--refresh', ...getTargetFlags(settings)] };
  terminal.notice(['No quota data yet. Run ', refreshed, '.']);
  await context.print({ kind: 'record', columns, record: { profile: getTargetLabel(settings) }, text: () => '' });
}

async function reportQuota(
  state: QuotaState,
  { columns, settings, config, clock }: AppContext,
): Promise<CommandResult> {
  const { baseUrl } = await config.account();
  const now = clock.now();
  // The quota of the sandbox is never shared with other machines.
  const isShared = settings.quotaStore && baseUrl !== undefined;
  const quotaStore = isShared ? String(config.store.get('quota-store').value) : undefined;
  const label = getTargetLabel(settings);
  const { seenAt, block, quota: latest } = state;
  const pauseEnd = findPauseEnd(state, now);
  const blockEnd = block && findSpanEnd(block, now);
  const isBlocked = blockEnd !== undefined && blockEnd > now;
  const window = latest.resetAt === undefined ? undefined : classifyWindow(latest.resetAt, seenAt);
  const windows = findWindows(state, window);
  const record = {
    profile: label,
    ...toWindowRecord(isBlocked ? { ...latest, remaining: 0, resetAt: blockEnd } : latest),
    ...(window && { window }),
    ...(!isBlocked && { windows: Object.fromEntries([...windows].map(([name, one]) => [name, toWindowRecord(one)])) }),
    seenAt: new Date(seenAt).toISOString(),
    ...(pauseEnd !== undefined && { blockedUntil: new Date(pauseEnd).toISOString() }),
    ...(quotaStore && { quotaStore }),
  };
  const blockedUntil = isBlocked ? blockEnd : undefined;
  const view = { label, windows, blockedUntil, seenAt, quotaStore, hasBars: !settings.accessible };
  return { kind: 'record', columns, record, text: formatWindows(view, now) };
}

/** Returns the windows that the service reported, and its latest report. */
function findWindows({ windows, quota: latest }: QuotaState, latestName: 'minute' | 'day' | undefined) {
  const windowsByName = new Map<string, Quota>();
  for (const { limit, remaining, startedAt, endsAt } of windows) {
    windowsByName.set(classifyWindow(endsAt, startedAt), { limit, remaining: Math.max(0, remaining), resetAt: endsAt });
  }
  return windowsByName.set(latestName ?? 'window', latest);
}

function toWindowRecord({ resetAt, ...quota }: Quota): OutputRecord {
  return { ...quota, ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }) };
}

/** Deletes the quota state after a confirmation: a ban that it holds would be lost. */
async function resetState({ settings, terminal, quota: { reset } }: AppContext): Promise<void> {
  const target = getTargetLabel(settings);
  await terminal.prompts.confirm({
    message: `Delete the saved quota of ${target}? Requests may be rate limited or banned again.`,
    problem: 'the reset needs confirmation',
    default: false,
  });
  await reset();
  terminal.success(`Deleted the saved quota of ${target}`);
}

async function sendRequest(context: AppContext): Promise<void> {
  const { settings, clock, connections } = context;
  const pauseEnd = findPauseEnd(await context.quota.lastSeen(), clock.now());
  if (pauseEnd !== undefined) {
    context.terminal.notice('Requests are paused, so nothing was sent.');
    return;
  }
  const { failure } = await sendMinimalRequest(await context.client());
  if (failure) throw failure;
  // The result says the same.
  if (settings.output === 'table') connections.hideQuota();
}
