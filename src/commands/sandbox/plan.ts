import { type Plan, plans } from '../../api/plan.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';

/** Gives the sandbox the limits of a plan. */
export async function plan(context: AppContext, name: Plan): Promise<CommandResult> {
  await (await context.sandbox()).setPlan(name);
  const { perMinute, perDay } = plans[name];
  context.terminal.notice(
    `the sandbox now allows ${perMinute} requests a minute and ${perDay} a day`,
  );
  return { kind: 'nothing' };
}
