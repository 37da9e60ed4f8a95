import { overrideLimits, plans } from '../../../api/plan.js';
import type { AppContext } from '../../../app/context.js';
import type { CommandResult } from '../../../cli/command-result.js';
import { usageError } from '../../../failure.js';
import type { DetailOptions } from './create.js';
import { checkLabel, parseExpiry } from './flag-values.js';
import { describeKey, openKey } from './open-key.js';

/** Changes the limits, the label or the expiry of an API key. */
export async function update(
  context: AppContext,
  name: string,
  { expires, label, plan, perMinute, perDay, ...database }: DetailOptions,
): Promise<CommandResult> {
  checkLabel(label);
  const expiresAt = expires === undefined ? undefined : (parseExpiry(expires, context.clock.now()) ?? 'never');
  const hasLimits = plan !== undefined || perMinute !== undefined || perDay !== undefined;
  if (!hasLimits && label === undefined && expires === undefined) {
    throw usageError(
      'missing_input',
      'there is nothing to change',
      'pass at least one of --plan, --per-minute, --per-day, --label and --expires',
    );
  }
  const { keys, key } = await openKey(context, name, database);
  const limits = hasLimits ? overrideLimits(plan ? plans[plan] : key.limits, { perMinute, perDay }) : undefined;
  await keys.update(key, { limits, plan, label, expiresAt });
  context.terminal.success(`Updated API key ${describeKey({ ...key, label: label ?? key.label })}`);
  return { kind: 'nothing' };
}
