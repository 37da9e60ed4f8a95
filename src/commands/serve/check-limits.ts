import type { Plan, PlanLimits } from '../../api/plan.js';
import { invalidFlag } from '../../cli/flag-parsers.js';

/** Fails (usage) where limits of one's own are named for a plan that has its own. */
export function checkLimits({
  plan,
  perMinute,
  perDay,
}: Partial<PlanLimits> & { readonly plan?: Plan | undefined }): void {
  if (plan === 'enterprise' || (perMinute === undefined && perDay === undefined)) return;
  throw invalidFlag('--per-minute and --per-day need --plan enterprise');
}
