import { findPlanByLimits, type Plan, plans } from '../../api/plan.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { canceledError } from '../../failure.js';

export const columns = ['path', 'pets', 'plan', 'perMinute', 'perDay'].map((key) => ({ key }));

/** Returns the path of the sandbox's database, its number of pets and its limits. */
export async function status(context: AppContext): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const { path, pets, limits } = await context.sandbox();
  const record = { path, pets, plan: findPlanByLimits(limits), ...limits };
  return { kind: 'record', columns, record };
}

export async function plan(context: AppContext, name: Plan): Promise<CommandResult> {
  await (await context.sandbox()).setPlan(name);
  const { perMinute, perDay } = plans[name];
  context.terminal.notice(`the sandbox now allows ${perMinute} requests a minute and ${perDay} a day`);
  return { kind: 'nothing' };
}

/** Restores the sample pets, or deletes all pets, after a confirmation. */
export async function reset(
  context: AppContext,
  { plan, empty = false }: { readonly plan?: Plan; readonly empty?: boolean },
): Promise<CommandResult> {
  const sandbox = await context.sandbox();
  const isConfirmed = await context.terminal.prompts.confirm({
    message: `Forget the ${sandbox.pets} pets of the sandbox?`,
    missingInputMessage: 'pass --yes to forget the pets of the sandbox',
    default: false,
  });
  if (!isConfirmed) throw canceledError();
  await sandbox.reset({ empty, ...(plan && { plan }) });
  context.terminal.notice(empty ? 'the sandbox is empty' : 'the sandbox holds its sample animals again');
  return { kind: 'nothing' };
}
