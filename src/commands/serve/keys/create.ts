import { findPlanByLimits, overrideLimits, type Plan, planNames, plans } from '../../../api/plan.js';
import type { AppContext } from '../../../app/context.js';
import type { DatabaseOptions, ServeOptions } from '../../../app/server-control.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { formatNumber } from '../../../format/duration.js';
import { checkLabel, parseExpiry } from './flag-values.js';
import { checkKeyIsPrinted, newKeyResult } from './new-key.js';

export interface DetailOptions extends DatabaseOptions, Pick<ServeOptions, 'plan' | 'perMinute' | 'perDay'> {
  readonly label?: string;
  readonly expires?: string;
}

/** Creates an API key and returns it. The database stores a digest only, so it cannot be shown again. */
export async function create(context: AppContext, options: DetailOptions): Promise<CommandResult> {
  checkKeyIsPrinted(context);
  const { label, perMinute, perDay, expires } = options;
  checkLabel(label);
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires, context.clock.now());
  const hasLimits = perMinute !== undefined || perDay !== undefined;
  const basePlan =
    options.plan ?? (hasLimits || !context.terminal.prompts.isInteractive ? 'free' : await promptForPlan(context));
  const limits = overrideLimits(plans[basePlan], options);
  const plan = options.plan ?? findPlanByLimits(limits);
  const keys = await context.server.openKeys({ ...options, create: true });
  const details = { plan, limits, label, expiresAt };
  return newKeyResult(context, keys, await keys.create(details), details);
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
