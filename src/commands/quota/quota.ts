import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { getSettingOrigin, getTargetLabel } from '../../config/settings.js';
import { usageError } from '../../failure.js';
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

export interface QuotaOptions {
  readonly refresh?: true;
  readonly watch?: true;
}

/** Returns the last known quota of the account. Sends a request only with `refresh`, and only if one is left. */
export async function quota(context: AppContext, { refresh, watch }: QuotaOptions): Promise<CommandResult> {
  const { settings, terminal } = context;
  terminal.checkFields(columns);
  const { problem } = await context.config.account();
  if (problem) throw problem;
  if (watch) checkWatch(context);
  if (refresh) await sendRequest(context, watch);
  if (watch) return { kind: 'lines', lines: (await import('./watch-quota.js')).watchQuota(context) };
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

function checkWatch({ settings: { output, curl, fields }, flags: { jq } }: AppContext): void {
  const conflict = curl ? '--curl' : jq !== undefined ? '--jq' : undefined;
  if (conflict) throw usageError('invalid_flag', `--watch does not support ${conflict}`, `remove ${conflict}`);
  if (output === 'ndjson' || (output === 'table' && !fields)) return;
  const rejected = output === 'table' ? '--fields in a table' : `--output ${output}`;
  throw usageError('invalid_flag', `--watch does not support ${rejected}`, 'pass --output ndjson');
}

async function sendRequest(context: AppContext, endsOnSignal: true | undefined): Promise<void> {
  const { settings, clock, connections } = context;
  const pauseEnd = findPauseEnd(await context.quota.lastSeen(), clock.now());
  if (pauseEnd !== undefined && !settings.curl) {
    context.terminal.notice('Requests are paused, so nothing was sent.');
    return;
  }
  const client = endsOnSignal ? (await connections.open({ endsOnSignal })).client : await context.client();
  const { failure } = await sendMinimalRequest(client);
  if (failure) throw failure;
  // The result says the same.
  if (settings.output === 'table') connections.hideQuota();
}
