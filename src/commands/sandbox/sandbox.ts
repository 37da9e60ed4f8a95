import { findPlanByLimits, type Plan, plans } from '../../api/plan.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { canceledError } from '../../failure.js';
import { formatCount, formatNumber } from '../../format/duration.js';

export const columns: readonly Column[] = [
  { key: 'path' },
  { key: 'pets', format: 'count' },
  { key: 'plan' },
  { key: 'perMinute', format: 'count' },
  { key: 'perDay', format: 'count' },
];

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
  const limits = `${formatCount(perMinute, 'request')} per minute and ${formatNumber(perDay)} per day`;
  context.terminal.success(`Set the sandbox plan to ${name}: ${limits}`);
  return { kind: 'nothing' };
}

/** Restores the sample pets, or deletes all pets, after a confirmation. */
export async function reset(
  context: AppContext,
  { plan, empty = false }: { readonly plan?: Plan; readonly empty?: boolean },
): Promise<CommandResult> {
  const sandbox = await context.sandbox();
  const pets = sandbox.pets === 1 ? 'the only pet' : `all ${formatCount(sandbox.pets, 'pet')}`;
  const isConfirmed = await context.terminal.prompts.confirm({
    message: empty ? `Delete ${pets} in the sandbox?` : `Replace ${pets} in the sandbox with the sample pets?`,
    missingInput: ['deleting all pets in the sandbox needs confirmation', 'pass --yes'],
    default: false,
  });
  if (!isConfirmed) throw canceledError();
  await sandbox.reset({ empty, ...(plan && { plan }) });
  const restored = empty ? '' : ' and restored the sample pets';
  context.terminal.success(`Deleted ${formatCount(sandbox.pets, 'pet')} from the sandbox${restored}`);
  return { kind: 'nothing' };
}
