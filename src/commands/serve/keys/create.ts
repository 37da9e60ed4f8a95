import { type Plan, type PlanLimits, planNames, plans, resolveLimits } from '../../../api/plan.js';
import type { AppContext } from '../../../app/context.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import { invalidFlag } from '../../../cli/flag-parsers.js';
import { checkLimits } from '../check-limits.js';
import { looksLikeKey } from './looks-like-key.js';
import { type DatabaseOptions, keyRecord } from './record.js';

export interface CreateOptions extends DatabaseOptions, Partial<PlanLimits> {
  readonly plan?: Plan;
  readonly label?: string;
}

export const columns: readonly Column[] = [
  { key: 'apiKey' },
  { key: 'keyPrefix' },
  { key: 'plan' },
  { key: 'perMinute' },
  { key: 'perDay' },
  { key: 'label' },
  { key: 'database' },
];

/** Makes a key known to the store and shows it, this once. */
export async function create(context: AppContext, options: CreateOptions): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  checkLimits(options);
  const { label } = options;
  checkLabel(label);
  const plan = options.plan ?? (await askPlan(context));
  const limits = resolveLimits(plan, options);
  const keys = await context.server.openKeys({ ...options, create: true });
  const { key, prefix } = await keys.create({ plan, limits, label });
  if (context.settings.output === 'table') {
    context.terminal.notice('The key is shown this once; the database keeps a digest of it alone.');
  }
  const record = {
    apiKey: key.reveal(),
    ...keyRecord(prefix, { plan, limits, label }),
    database: keys.database,
  };
  return { kind: 'record', columns, record };
}

function askPlan({ terminal: { prompts } }: AppContext): Promise<Plan> {
  return prompts.select({
    message: 'Plan',
    missingInputMessage: `pass --plan with one of ${planNames.join(', ')}`,
    choices: planNames.map((value) => ({
      value,
      name: `${value}: ${plans[value].perMinute} requests a minute, ${plans[value].perDay} a day`,
    })),
  });
}

/** Labels are listed and named: what cannot be shown in a line, or is a secret, is none. */
function checkLabel(label: string | undefined): void {
  if (label === undefined) return;
  if (looksLikeKey(label)) throw invalidFlag('--label must not hold a key');
  if (/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u.test(label) && /\S/.test(label)) return;
  throw invalidFlag('--label must be 1 to 100 characters, without control characters');
}
