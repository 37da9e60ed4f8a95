import { findPlanByLimit } from '../../api/plan.js';
import { classifyWindow, type Quota } from '../../api/rate-limit-headers.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { getSettingOrigin, getTargetLabel } from '../../config/settings.js';
import { formatDuration, formatNumber } from '../../format/duration.js';
import { findPauseEnd, type LedgerEntry } from '../../quota/ledger.js';
import { sendMinimalRequest } from '../send-minimal-request.js';

export const columns: readonly Column[] = [
  { key: 'profile' },
  { key: 'limit', format: 'count' },
  { key: 'remaining', format: 'count' },
  { key: 'resetAt', format: 'time' },
  { key: 'window' },
  { key: 'planGuess' },
  { key: 'seenAt', format: 'time' },
  { key: 'blockedUntil', format: 'time' },
  { key: 'ledger' },
];

/** Returns the last known quota of the account. Sends a request only with `refresh`. */
export async function quota(context: AppContext, { refresh }: { readonly refresh?: true }): Promise<CommandResult> {
  const { settings, terminal } = context;
  terminal.checkFields(columns);
  const { problem, baseUrl } = await context.config.account();
  if (problem) throw problem;
  if (refresh) {
    const { failure } = await sendMinimalRequest(await context.client());
    if (failure) throw failure;
  }
  const entry = await context.quota.lastSeen();
  const profile = getTargetLabel(settings);
  if (entry.seenAt === 0) {
    const flag = getSettingOrigin(settings, 'profile') === 'flag' ? ` --profile ${settings.profile}` : '';
    terminal.notice(`No quota data yet. Run petstore quota --refresh${flag}.`);
    return { kind: 'record', columns, record: { profile }, text: () => '' };
  }
  const now = context.clock.now();
  // The quota of the sandbox is never shared with other machines.
  const isShared = settings.ledger !== undefined && baseUrl !== undefined;
  const ledger = isShared ? String(context.config.store.get('ledger').value) : undefined;
  const { plan, window, pauseEnd } = summarize(entry, now);
  const { limit, remaining, resetAt } = entry.quota;
  return {
    kind: 'record',
    columns,
    record: {
      profile,
      ...(limit !== undefined && { limit }),
      ...(remaining !== undefined && { remaining }),
      ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }),
      ...(window && { window }),
      ...(plan && { planGuess: plan }),
      seenAt: new Date(entry.seenAt).toISOString(),
      ...(pauseEnd !== undefined && { blockedUntil: new Date(pauseEnd).toISOString() }),
      ...(ledger && { ledger }),
    },
    // Screen readers cannot read the bar.
    ...(!settings.accessible && {
      text: () => `${profile}  ${formatQuota(entry, now)}${ledger ? `Shared through ${ledger}\n` : ''}`,
    }),
  };
}

function summarize(entry: LedgerEntry, now: number) {
  const { limit, resetAt } = entry.quota;
  const window = resetAt === undefined ? undefined : classifyWindow(resetAt, entry.seenAt);
  const plan = window && findPlanByLimit(limit, window);
  // Enterprise limits are custom.
  const knownPlan = plan === 'enterprise' ? undefined : plan;
  return { window, plan: knownPlan, pauseEnd: findPauseEnd(entry, now) };
}

function formatQuota(entry: LedgerEntry, now: number): string {
  const { resetAt } = entry.quota;
  const hasReset = resetAt !== undefined && resetAt <= now;
  const quota =
    hasReset && entry.quota.limit !== undefined ? { ...entry.quota, remaining: entry.quota.limit } : entry.quota;
  const [limit, remaining] = [quota.limit, quota.remaining].map((count) =>
    count === undefined ? '?' : formatNumber(count),
  );
  const { window, plan, pauseEnd } = summarize(entry, now);
  const lines = [
    `${formatBar(quota)}${remaining} of ${limit} requests left${window ? ` this ${window}` : ''}`,
    resetAt === undefined ? '' : formatReset(resetAt, now),
    `Updated ${formatDuration(Math.max(0, now - entry.seenAt))} ago`,
    plan ? `Plan: ${plan.charAt(0).toUpperCase()}${plan.slice(1)} (inferred from the limit)` : '',
    pauseEnd ? `Requests are paused for ${formatDuration(pauseEnd - now)}` : '',
  ];
  return lines.map((line) => line && `${line}\n`).join('');
}

function formatReset(resetAt: number, now: number): string {
  // Rounded down, like the status line.
  if (resetAt > now) return `Resets in ${formatDuration(Math.floor((resetAt - now) / 1000) * 1000)}`;
  return 'The window has reset; the full quota is available';
}

function formatBar({ limit, remaining }: Quota): string {
  if (!limit || remaining === undefined) return '';
  const width = 20;
  const left = Math.round((width * remaining) / limit);
  return `[${'#'.repeat(left).padEnd(width, '.')}]  `;
}
