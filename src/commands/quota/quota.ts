import { classifyWindow, type Quota } from '../../api/rate-limit-headers.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult, OutputRecord, TextLayout } from '../../cli/command-result.js';
import { getTargetFlags, getTargetLabel } from '../../config/settings.js';
import { drawBar } from '../../format/bar.js';
import { formatDuration, formatTimeToReset } from '../../format/duration.js';
import { wrapMessage } from '../../format/wrap.js';
import { emptyQuotaState, findPauseEnd, findSpanEnd, type QuotaState } from '../../quota/quota-state.js';
import { findRemaining, formatQuota } from '../../quota/rate-limit-info.js';
import { sendMinimalRequest } from '../send-minimal-request.js';

export interface QuotaFlags {
  readonly refresh?: true;
  readonly reset?: true;
}

/** Prints the last known quota of the account. Sends a request only with `refresh`, and only if one is left. */
export async function quota(context: AppContext, { refresh, reset }: QuotaFlags): Promise<void> {
  const { columns, settings, terminal } = context;
  const { baseUrl, problem } = await context.config.account();
  if (problem) throw problem;
  if (reset) await resetState(context);
  if (reset && !refresh) return;
  const state = refresh
    ? await refreshQuota(context)
    : ((await (await context.accountQuota())?.read()) ?? emptyQuotaState);
  if (state.seenAt > 0) return context.print(reportQuota(state, baseUrl, context));
  const refreshed = { words: ['quota', '--refresh', ...getTargetFlags(settings)] };
  terminal.notice(['No quota data yet. Run ', refreshed, '.']);
  await context.print({ kind: 'record', columns, record: { profile: getTargetLabel(settings) }, text: () => '' });
}

function reportQuota(
  state: QuotaState,
  baseUrl: string | undefined,
  { columns, settings, config, clock }: AppContext,
): CommandResult {
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
    // What remains of the windows is not known during a pause that the service demanded.
    ...(!isBlocked && {
      ...toWindowRecord(latest),
      ...(window && { window }),
      windows: Object.fromEntries([...windows].map(([name, one]) => [name, toWindowRecord(one)])),
    }),
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
async function resetState({ settings, terminal, accountQuota }: AppContext): Promise<void> {
  const target = getTargetLabel(settings);
  await terminal.prompts.confirm({
    message: `Delete the saved quota of ${target}? Requests may be rate limited or banned again.`,
    problem: 'the reset needs confirmation',
    default: false,
  });
  await (await accountQuota())?.remove();
  terminal.success(`Deleted the saved quota of ${target}`);
}

/** Sends one request, unless requests are paused, and returns the quota state after it. */
async function refreshQuota({ clock, terminal, connect }: AppContext): Promise<QuotaState> {
  const { client, quotaState } = await connect();
  if (findPauseEnd(await quotaState(), clock.now()) === undefined) {
    const { failure } = await sendMinimalRequest(client);
    if (failure) throw failure;
  } else terminal.notice('Requests are paused, so nothing was sent.');
  return quotaState();
}

interface QuotaView {
  readonly label: string;
  /** The windows that the service reported, by the names `minute` and `day`, or `window` if its length is unknown. */
  readonly windows: ReadonlyMap<string, Quota>;
  /** When a pause that the service demanded ends; then nothing is known of the windows. */
  readonly blockedUntil: number | undefined;
  readonly seenAt: number;
  /** The Redis that shares the quota. */
  readonly quotaStore: string | undefined;
  /** False for screen readers. */
  readonly hasBars: boolean;
}

const barWidth = 20;
const margin = ' '.repeat(10);

/** Formats the windows as bars, or the pause in place of them. */
function formatWindows(view: QuotaView, now: number): TextLayout {
  const { label, windows, blockedUntil, seenAt, quotaStore, hasBars } = view;
  return (style, width) => {
    const formatLine = (name: string, text: string, { limit = 0, ...quota }: Quota = {}) => {
      const first = hasBars ? `  ${name.padEnd(margin.length - 2)}` : `${name}: `;
      const rest = hasBars ? margin : '';
      const left = findRemaining({ limit, ...quota }, now);
      if (left === undefined || limit === 0 || !hasBars) return wrapMessage(text, width, first, rest);
      const share = left / limit;
      const { filled, empty } = drawBar(share, Math.min(barWidth, Math.max(5, (width ?? 80) - margin.length)));
      const paint = share === 0 ? style.error : share <= 0.2 ? style.warning : style.success;
      const bar = paint(filled) + style.dim(empty);
      const isWide = width === undefined || width >= margin.length + barWidth + 2 + text.length;
      return isWide ? `${first}${bar}  ${text}\n` : `${first}${bar}\n${wrapMessage(text, width, rest, rest)}`;
    };
    const lines =
      blockedUntil === undefined
        ? [...windows].map(([name, quota]) => formatLine(name, formatQuota(quota, now) ?? 'unknown', quota))
        : [formatLine('paused', `${formatTimeToReset(blockedUntil - now)}, rate limited or banned by the service`)];
    const notes = [
      `Updated ${formatDuration(Math.max(0, now - seenAt))} ago`,
      ...(quotaStore === undefined ? [] : [`Shared through ${quotaStore}`]),
    ];
    return [
      wrapMessage(hasBars ? label : `profile: ${label}`, width),
      ...lines,
      ...notes.map((note) => wrapMessage(note, width)),
    ].join('');
  };
}
