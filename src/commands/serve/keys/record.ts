import type { Plan, PlanLimits } from '../../../api/plan.js';

export interface DatabaseOptions {
  readonly database?: string;
}

/** What is shown of a key alike when it is created and when it is listed. */
export function keyRecord(
  prefix: string,
  { plan, limits, label }: { plan: Plan; limits: PlanLimits; label?: string | undefined },
) {
  return { keyPrefix: `${prefix}…`, plan, ...limits, label: label ?? null };
}
