import { findPlanByLimits, type Plan, plans } from '../../api/plan.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { formatCount, formatNumber } from '../../format/duration.js';
import { samplePetCount } from '../../server/sample-pets.js';

/** Returns the path of the sandbox's database, its number of pets and its limits. */
export async function status(context: AppContext): Promise<CommandResult> {
  const { path, pets, limits } = await context.sandbox();
  const record = { path, pets, plan: findPlanByLimits(limits), ...limits };
  return { kind: 'record', columns: context.columns, record };
}

export async function plan(context: AppContext, name: Plan): Promise<void> {
  await (await context.sandbox()).setPlan(name);
  const { perMinute, perDay } = plans[name];
  const limits = `${formatCount(perMinute, 'request')} per minute and ${formatNumber(perDay)} per day`;
  context.terminal.success(`Set the sandbox plan to ${name}: ${limits}`);
}

interface ResetFlags {
  readonly plan?: Plan;
  /** The number of sample pets (default: as in a new sandbox). */
  readonly pets?: number;
}

/** Replaces all pets with sample pets, after a confirmation. */
export async function reset(context: AppContext, { plan, pets = samplePetCount }: ResetFlags): Promise<void> {
  const { prompts, success } = context.terminal;
  const sandbox = await context.sandbox();
  const [deleted, added] = [formatCount(sandbox.pets, 'pet'), formatCount(pets, 'sample pet')];
  await prompts.confirm({
    message: `Delete ${deleted} from the sandbox and add ${added}?`,
    problem: 'replacing all pets in the sandbox needs confirmation',
    default: false,
  });
  await sandbox.reset(pets, plan);
  success(`Deleted ${deleted} from the sandbox and added ${added}`);
}
