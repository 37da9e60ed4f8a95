import { findPlanByLimit } from '../../api/plan.js';
import { classifyWindow, type Quota } from '../../api/rate-limit-headers.js';
import type { AppContext } from '../../app/context.js';
import type { OutputRecord, TextLayout } from '../../cli/command-result.js';
import { getTargetLabel } from '../../config/settings.js';
import { formatDuration, formatTimeToReset } from '../../format/duration.js';
import { findPauseEnd, type QuotaState } from '../../quota/quota-state.js';
import { findRemaining } from '../../quota/rate-limit-info.js';
import { formatWindows } from './format-windows.js';

/** The last known quota, as a record and as text. */
export interface QuotaReport {
  readonly record: OutputRecord;
  /** The record for a screen reader: a field for each value of a window, which is full after its reset. */
  readonly flatRecord: OutputRecord;
  readonly format: TextLayout;
}

/** Returns the last known quota; undefined before the first response. */
export async function reportQuota({ settings, config, clock, quota }: AppContext): Promise<QuotaReport | undefined> {
  const { baseUrl } = await config.account();
  const state = await quota.lastSeen();
  if (state.seenAt === 0) return undefined;
  const now = clock.now();
  // The quota of the sandbox is never shared with other machines.
  const isShared = settings.quotaStore !== undefined && baseUrl !== undefined;
  const quotaStore = isShared ? String(config.store.get('quota-store').value) : undefined;
  const label = getTargetLabel(settings);
  const { plan, window, pauseEnd } = summarize(state, now);
  const { limit, remaining, resetAt } = state.quota;
  const windows = findWindows(state, window);
  const record = {
    profile: label,
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }),
    ...(window && { window }),
    windows: Object.fromEntries([...windows].flatMap(([name, one]) => (one ? [[name, toWindowRecord(one)]] : []))),
    ...(plan && { planGuess: plan }),
    seenAt: new Date(state.seenAt).toISOString(),
    ...(pauseEnd !== undefined && { blockedUntil: new Date(pauseEnd).toISOString() }),
    ...(quotaStore && { quotaStore }),
  };
  const { windows: _, ...others } = record;
  const flatWindows = [...windows].flatMap(([name, one]) => (one ? [flattenWindow(name, one, now)] : []));
  const flatRecord = Object.assign({ ...others, remaining: findRemaining(state.quota, now) }, ...flatWindows);
  const notes = [
    `Updated ${formatDuration(Math.max(0, now - state.seenAt))} ago`,
    ...(plan ? [`Plan: ${plan.charAt(0).toUpperCase()}${plan.slice(1)} (inferred from the limit)`] : []),
    ...(pauseEnd === undefined ? [] : [`Requests are paused for ${formatTimeToReset(pauseEnd - now)}`]),
    ...(quotaStore ? [`Shared through ${quotaStore}`] : []),
  ];
  const shown = window ? windows : new Map([['window', state.quota], ...windows]);
  const view = { label, windows: shown, notes, hasBars: !settings.accessible };
  const format: TextLayout = (style, width) => formatWindows(view, now, style, width);
  return { record, flatRecord, format };
}

/** Returns both windows: those in the quota state, and the latest report. */
function findWindows({ windows, quota: latest }: QuotaState, latestName: 'minute' | 'day' | undefined) {
  const windowsByName = new Map<string, Quota | undefined>([
    ['minute', undefined],
    ['day', undefined],
  ]);
  for (const { limit, remaining, startedAt, endsAt } of windows) {
    windowsByName.set(classifyWindow(endsAt, startedAt), { limit, remaining: Math.max(0, remaining), resetAt: endsAt });
  }
  if (latestName) windowsByName.set(latestName, latest);
  return windowsByName;
}

function toWindowRecord({ resetAt, ...window }: Quota): OutputRecord {
  return { ...window, ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }) };
}

function flattenWindow(name: string, window: Quota, now: number): OutputRecord {
  const record = { ...toWindowRecord(window), remaining: findRemaining(window, now) };
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [`${name} ${key}`, value]));
}

function summarize(state: QuotaState, now: number) {
  const { limit, resetAt } = state.quota;
  const window = resetAt === undefined ? undefined : classifyWindow(resetAt, state.seenAt);
  const plan = window && findPlanByLimit(limit, window);
  // Enterprise limits are custom.
  const knownPlan = plan === 'enterprise' ? undefined : plan;
  return { window, plan: knownPlan, pauseEnd: findPauseEnd(state, now) };
}
