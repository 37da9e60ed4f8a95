/** The number of requests that an API key may send in each of the two windows. */
export interface PlanLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The plans of the API spec (8.1). Enterprise is custom: these are its default limits. */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 10_000, perDay: 1_000_000 },
} as const satisfies Record<string, PlanLimits>;

export type Plan = keyof typeof plans;

export const planNames = Object.keys(plans) as readonly Plan[];

/** Limits that may be missing. */
export interface LimitOverrides {
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
}

/** Returns limits in which those of `overrides` replace others. */
export function overrideLimits(limits: PlanLimits, overrides: LimitOverrides): PlanLimits {
  return { perMinute: overrides.perMinute ?? limits.perMinute, perDay: overrides.perDay ?? limits.perDay };
}

export function findPlanByLimit(limit: number | undefined, window: 'minute' | 'day'): Plan | undefined {
  const key = window === 'day' ? 'perDay' : 'perMinute';
  return planNames.find((name) => plans[name][key] === limit);
}

/** Returns the plan with both limits. Custom limits are those of Enterprise. */
export function findPlanByLimits({ perMinute, perDay }: PlanLimits): Plan {
  const matches = (name: Plan) => plans[name].perMinute === perMinute && plans[name].perDay === perDay;
  return planNames.find(matches) ?? 'enterprise';
}
