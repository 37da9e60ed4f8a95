import { type Plan, plans } from '../../api/plan.js';
import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';

/** Gives the sandbox the limits of a plan. */
export async function plan(context: Context, name: Plan): Promise<Shown> {
  await (await context.sandbox()).setPlan(name);
  const { perMinute, perDay } = plans[name];
  context.notice(`the sandbox now allows ${perMinute} requests a minute and ${perDay} a day`);
  return { kind: 'nothing' };
}
