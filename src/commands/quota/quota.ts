import { findPlanByLimit } from '../../api/plan.js';
import { classifyWindow, type Quota } from '../../api/rate-limit-headers.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult, OutputRecord } from '../../cli/command-result.js';
import type { Client } from '../../client/client.js';
import { getTargetLabel } from '../../config/settings.js';
import { formatDuration } from '../../format/duration.js';
import { findPauseEnd, type LedgerEntry } from '../../quota/ledger.js';
import { leastRequest } from '../least-request.js';

export interface QuotaOptions {
  readonly refresh?: true;
}

export const columns: readonly Column[] = [
  { key: 'profile' },
  { key: 'limit' },
  { key: 'remaining' },
  { key: 'resetAt' },
  { key: 'window' },
  { key: 'planGuess' },
  { key: 'seenAt' },
  { key: 'blockedUntil' },
  { key: 'ledger' },
];

/**
 * The quota as the service last told it, to this machine or to those that share its ledger; spends nothing unless
 * `refresh`.
 */
export async function quota(
  context: AppContext,
  { refresh }: QuotaOptions,
): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const { problem, baseUrl } = await context.config.account();
  if (problem) throw problem;
  if (refresh) await ask(await context.client());
  const entry = await context.quota.lastSeen();
  const { settings } = context;
  const profile = getTargetLabel(settings);
  if (!entry || entry.seenAt === 0) {
    context.terminal.notice('no answer was seen yet for this profile and key; --refresh asks');
    return { kind: 'record', columns, record: { profile }, text: '' };
  }
  const now = context.clock.now();
  // The sandbox's is this machine's.
  const isShared = settings.ledger !== undefined && baseUrl !== undefined;
  const ledger = isShared ? String(context.config.store.get('ledger').value) : undefined;
  return {
    kind: 'record',
    columns,
    record: { ...recordOf(profile, entry, now), ...(ledger && { ledger }) },
    // Whoever hears it has no use for a bar.
    ...(!settings.accessible && {
      text: `${words(profile, entry, now)}${ledger ? `shared through ${ledger}\n` : ''}`,
    }),
  };
}

function recordOf(profile: string, entry: LedgerEntry, now: number): OutputRecord {
  const { limit, remaining, resetAt } = entry.quota;
  const { plan, window } = guess(entry);
  const blocked = findPauseEnd(entry, now);
  return {
    profile,
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }),
    ...(window && { window }),
    ...(plan && { planGuess: plan }),
    seenAt: new Date(entry.seenAt).toISOString(),
    ...(blocked !== undefined && { blockedUntil: new Date(blocked).toISOString() }),
  };
}

function words(profile: string, entry: LedgerEntry, now: number): string {
  const { limit, remaining, resetAt } = entry.quota;
  const { plan, window } = guess(entry);
  const blocked = findPauseEnd(entry, now);
  const isOver = resetAt !== undefined && resetAt <= now;
  return [
    `${profile}  ${bar(entry.quota)}${remaining ?? '?'} of ${limit ?? '?'} requests left${window ? ` this ${window}` : ''}`,
    ...(resetAt === undefined
      ? []
      : [
          isOver
            ? 'that window is over: the next request starts another'
            : `resets in ${formatDuration(resetAt - now)}`,
        ]),
    `seen ${formatDuration(Math.max(0, now - entry.seenAt))} ago`,
    ...(plan ? [`plan: ${plan} (a guess from the limit)`] : []),
    ...(blocked === undefined
      ? []
      : [`no request is sent for another ${formatDuration(blocked - now)}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

const barWidth = 20;

function bar({ limit, remaining }: Quota): string {
  if (!limit || remaining === undefined) return '';
  const full = Math.round((barWidth * remaining) / limit);
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]  `;
}

/** Plan and window as the limit suggests; 1,000 is a minute of Business or a day of Free. */
function guess({ quota: { limit, resetAt }, seenAt }: LedgerEntry): {
  plan?: string;
  window?: 'minute' | 'day';
} {
  if (resetAt === undefined) return {};
  const window = classifyWindow(resetAt, seenAt);
  const plan = findPlanByLimit(limit, window);
  return { window, ...(plan && plan !== 'enterprise' && { plan }) };
}

/** One request, whatever was left when the service last told. */
async function ask(client: Client): Promise<void> {
  const { failure } = await client.sendRaw(leastRequest(client));
  if (failure) throw failure;
}
