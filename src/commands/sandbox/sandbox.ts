import { findPlanByLimits, type Plan, plans } from '../../api/plan.js';
import type { AppContext, SandboxData, SandboxPets } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';
import { invalidFlag } from '../../cli/flags.js';
import { canceledError } from '../../failure.js';
import { formatCount, formatNumber } from '../../format/duration.js';

export const columns: readonly Column[] = [
  { key: 'path' },
  { key: 'pets', format: 'count' },
  { key: 'plan' },
  { key: 'perMinute', format: 'count' },
  { key: 'perDay', format: 'count' },
  { key: 'saved', format: 'list' },
];

/** Returns the path of the sandbox's database, its number of pets, its limits and the names of its saved states. */
export async function status(context: AppContext): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const { path, pets, limits, saved } = await context.sandbox();
  const record = { path, pets, plan: findPlanByLimits(limits), ...limits, saved };
  return { kind: 'record', columns, record };
}

export async function plan(context: AppContext, name: Plan): Promise<CommandResult> {
  await (await context.sandbox()).setPlan(name);
  const { perMinute, perDay } = plans[name];
  const limits = `${formatCount(perMinute, 'request')} per minute and ${formatNumber(perDay)} per day`;
  context.terminal.success(`Set the sandbox plan to ${name}: ${limits}`);
  return { kind: 'nothing' };
}

interface ResetFlags {
  readonly plan?: Plan;
  readonly empty?: boolean;
  /** The number of pets to generate. */
  readonly pets?: number;
  readonly seed?: number;
}

/** Replaces all pets, after a confirmation: with the sample pets, with generated pets or with none. */
export async function reset(context: AppContext, flags: ResetFlags): Promise<CommandResult> {
  const pets = choosePets(flags);
  const sandbox = await context.sandbox();
  const replacement = describePets(pets);
  const all = formatAllPets(sandbox);
  const deletion = sandbox.pets === 0 ? `Reset ${all}?` : `Delete ${all}?`;
  await confirm(context, replacement ? `Replace ${all} with ${replacement}?` : deletion);
  await sandbox.reset(pets, flags.plan);
  const restored = pets === 'sample' ? ' and restored the sample pets' : replacement && ` and added ${replacement}`;
  context.terminal.success(`Deleted ${formatCount(sandbox.pets, 'pet')} from the sandbox${restored}`);
  return { kind: 'nothing' };
}

function choosePets({ empty, pets, seed }: ResetFlags): SandboxPets {
  if (empty && pets !== undefined) {
    throw invalidFlag('--empty conflicts with --pets', 'remove --empty or --pets');
  }
  if (seed !== undefined && pets === undefined) {
    throw invalidFlag('--seed requires --pets', 'pass the number of pets, such as --pets 1000');
  }
  if (pets !== undefined) return { count: pets, seed: seed ?? 1 };
  return empty ? 'none' : 'sample';
}

function describePets(pets: SandboxPets): string {
  if (pets === 'none') return '';
  return pets === 'sample' ? 'the sample pets' : formatCount(pets.count, 'generated pet');
}

/** Saves the pets, the next id and the plan under a name. */
export async function save(
  context: AppContext,
  name: string,
  { force = false }: { readonly force?: boolean },
): Promise<CommandResult> {
  const sandbox = await context.sandbox();
  await sandbox.save(name, { force });
  context.terminal.success(`Saved ${formatCount(sandbox.pets, 'pet')} of the sandbox as ${name}`);
  return { kind: 'nothing' };
}

/** Replaces all pets with those of a saved state, after a confirmation. Also restores the plan and resets the quota. */
export async function restore(context: AppContext, name: string): Promise<CommandResult> {
  const sandbox = await context.sandbox();
  const replacePets = sandbox.openSaved(name);
  await confirm(context, `Replace ${formatAllPets(sandbox)} with those saved as ${name}?`);
  const count = await replacePets();
  context.terminal.success(`Restored ${formatCount(count, 'pet')} from ${name}`);
  return { kind: 'nothing' };
}

function formatAllPets({ pets }: SandboxData): string {
  if (pets === 0) return 'the empty sandbox';
  return `${pets === 1 ? 'the only pet' : `all ${formatCount(pets, 'pet')}`} in the sandbox`;
}

/** Throws a cancellation if the user declines. */
async function confirm({ terminal }: AppContext, message: string): Promise<void> {
  const missingInput = {
    message: 'replacing all pets in the sandbox needs confirmation',
    missing: [{ syntax: '--yes' }],
  };
  if (!(await terminal.prompts.confirm({ message, missingInput, default: false }))) throw canceledError();
}
