/** Requests that a key may send in each of the two windows. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The plans of the interface (8.1). Enterprise is custom: these are the limits until others are named. */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 10_000, perDay: 1_000_000 },
} as const satisfies Record<string, Limits>;

export type Plan = keyof typeof plans;

export const planNames = Object.keys(plans) as readonly Plan[];

/** The limits of a plan, where none of one's own are named. */
export function limitsOf(plan: Plan, { perMinute, perDay }: Partial<Limits> = {}): Limits {
  const { perMinute: minute, perDay: day } = plans[plan];
  return { perMinute: perMinute ?? minute, perDay: perDay ?? day };
}

/** The plan that allows so many requests in a window, if one does. */
export function planWith(limit: number | undefined, window: 'minute' | 'day'): Plan | undefined {
  const key = window === 'day' ? 'perDay' : 'perMinute';
  return planNames.find((name) => plans[name][key] === limit);
}

/** The plan that has these limits; limits of one's own are Enterprise's. */
export function planOf({ perMinute, perDay }: Limits): Plan {
  const hasThem = (name: Plan) =>
    plans[name].perMinute === perMinute && plans[name].perDay === perDay;
  return planNames.find(hasThem) ?? 'enterprise';
}
