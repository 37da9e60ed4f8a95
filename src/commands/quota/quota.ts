import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { getSettingOrigin, getTargetLabel } from '../../config/settings.js';
import { canceledError } from '../../failure.js';
import { findPauseEnd } from '../../quota/quota-state.js';
import { sendMinimalRequest } from '../send-minimal-request.js';
import { reportQuota } from './report-quota.js';

export const columns: readonly Column[] = [
  { key: 'profile' },
  { key: 'limit', format: 'count' },
  { key: 'remaining', format: 'count' },
  { key: 'resetAt', format: 'time' },
  { key: 'window' },
  { key: 'windows' },
  { key: 'planGuess' },
  { key: 'seenAt', format: 'time' },
  { key: 'blockedUntil', format: 'time' },
  { key: 'quotaStore' },
];

/** The columns for a screen reader: it cannot read the object `windows`. */
const flatColumns: readonly Column[] = columns.flatMap((column) =>
  column.key === 'windows' ? ['minute', 'day'].flatMap(windowColumns) : [column],
);

function windowColumns(name: string): readonly Column[] {
  return [
    { key: `${name} limit`, format: 'count' },
    { key: `${name} remaining`, format: 'count' },
    { key: `${name} resetAt`, format: 'time' },
  ];
}

export interface QuotaFlags {
  readonly refresh?: true;
  readonly reset?: true;
}

/** Returns the last known quota of the account. Sends a request only with `refresh`, and only if one is left. */
export async function quota(context: AppContext, { refresh, reset }: QuotaFlags): Promise<CommandResult> {
  const { settings, terminal } = context;
  terminal.checkFields(columns);
  const { problem } = await context.config.account();
  if (problem) throw problem;
  if (reset) await resetState(context);
  if (reset && !refresh) return { kind: 'nothing' };
  if (refresh) await sendRequest(context);
  const report = await reportQuota(context);
  if (!report) {
    const flag = getSettingOrigin(settings, 'profile') === 'flag' ? ` --profile ${settings.profile}` : '';
    terminal.notice(`No quota data yet. Run petstore quota --refresh${flag}.`);
    return { kind: 'record', columns, record: { profile: getTargetLabel(settings) }, text: () => '' };
  }
  const { record, flatRecord, format } = report;
  const isSpoken = settings.accessible && settings.output === 'table' && !settings.fields;
  if (isSpoken) return { kind: 'record', columns: flatColumns, record: flatRecord };
  return { kind: 'record', columns, record, text: format };
}

/** Deletes the quota state after a confirmation: a ban that it holds would be lost. */
async function resetState({ settings, terminal, quota: { reset } }: AppContext): Promise<void> {
  const target = getTargetLabel(settings);
  const isConfirmed = await terminal.prompts.confirm({
    message: `Delete the saved quota of ${target}? Requests may be rate limited or banned again.`,
    missingInput: { message: 'the reset needs confirmation', missing: [{ syntax: '--yes' }] },
    default: false,
  });
  if (!isConfirmed) throw canceledError();
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
