import { findPlanByLimits, overrideLimits, type Plan, planNames, plans } from '../../../api/plan.js';
import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions, ServeOptions } from '../../../app/server-control.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import { usageError } from '../../../failure.js';
import { formatNumber } from '../../../format/duration.js';
import { looksLikeKey, toKeyRecord } from './list.js';

export type CreateOptions = DatabaseOptions &
  Pick<ServeOptions, 'plan' | 'perMinute' | 'perDay'> & { readonly label?: string };

export const columns: readonly Column[] = [
  { key: 'apiKey' },
  { key: 'keyPrefix' },
  { key: 'plan' },
  { key: 'perMinute', format: 'count' },
  { key: 'perDay', format: 'count' },
  { key: 'label' },
  { key: 'database' },
];

/** Creates an API key and returns it. The database stores a digest only, so it cannot be shown again. */
export async function create(context: AppContext, options: CreateOptions): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const { label, perMinute, perDay } = options;
  checkLabel(label);
  const hasLimits = perMinute !== undefined || perDay !== undefined;
  const basePlan = options.plan ?? (hasLimits ? 'free' : await promptForPlan(context));
  const limits = overrideLimits(plans[basePlan], options);
  const plan = options.plan ?? findPlanByLimits(limits);
  const keys = await context.server.openKeys({ ...options, create: true });
  const { key, prefix } = await keys.create({ plan, limits, label });
  if (context.settings.output === 'table') {
    context.terminal.notice('Copy this API key now; it is not shown again.');
  }
  const record = {
    apiKey: key.reveal(),
    ...toKeyRecord(prefix, { plan, limits, label }),
    database: keys.database,
  };
  return { kind: 'record', columns, record };
}

function promptForPlan({ terminal: { prompts } }: AppContext): Promise<Plan> {
  return prompts.select({
    message: 'Plan:',
    missingInput: { message: 'the plan is missing', missing: [{ syntax: '--plan <plan>', choices: planNames }] },
    choices: planNames.map((value) => ({
      value,
      name: `${value}: ${formatNumber(plans[value].perMinute)} requests per minute, ${formatNumber(plans[value].perDay)} per day`,
    })),
  });
}

/** Throws a usage error for a label that does not fit on one line or that contains an API key. */
function checkLabel(label: string | undefined): void {
  if (label === undefined) return;
  if (looksLikeKey(label))
    throw usageError(
      'invalid_flag',
      '--label must not contain an API key',
      'pass a name for the API key, such as --label ci',
    );
  if (/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u.test(label) && /\S/.test(label)) return;
  throw usageError(
    'invalid_flag',
    '--label must be 1 to 100 characters, not all blank, without control characters',
    'pass a name for the API key, such as --label ci',
  );
}
