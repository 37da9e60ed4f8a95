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
  const limits = `${formatCount(perMinute)} requests per minute and ${formatCount(perDay)} per day`;
  context.terminal.success(`Set the sandbox plan to ${name}: ${limits}`);
  return { kind: 'nothing' };
}

/** Restores the sample pets, or deletes all pets, after a confirmation. */
export async function reset(
  context: AppContext,
  { plan, empty = false }: { readonly plan?: Plan; readonly empty?: boolean },
): Promise<CommandResult> {
  const sandbox = await context.sandbox();
  const isConfirmed = await context.terminal.prompts.confirm({
    message: `Delete ${sandbox.pets === 1 ? 'the only pet' : `all ${countPets(sandbox.pets)}`} in the sandbox?`,
    missingInputMessage: 'deleting all pets in the sandbox needs confirmation; pass --yes',
    default: false,
  });
  if (!isConfirmed) throw canceledError();
  await sandbox.reset({ empty, ...(plan && { plan }) });
  const restored = empty ? '' : ' and restored the sample pets';
  context.terminal.success(`Deleted ${countPets(sandbox.pets)} from the sandbox${restored}`);
  return { kind: 'nothing' };
}

function countPets(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'pet' : 'pets'}`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
