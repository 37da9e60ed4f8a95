import { findPlanByLimits } from '../../api/plan.js';
import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';

export const columns: readonly Column[] = [
  { key: 'path' },
  { key: 'pets' },
  { key: 'plan' },
  { key: 'perMinute' },
  { key: 'perDay' },
];

/** Where the data of the sandbox lies, how many pets it holds, and what it allows. */
export async function status(context: AppContext): Promise<CommandResult> {
  context.terminal.checkFields(columns);
  const { path, pets, limits } = await context.sandbox();
  return {
    kind: 'record',
    columns,
    record: { path, pets, plan: findPlanByLimits(limits), ...limits },
  };
}
