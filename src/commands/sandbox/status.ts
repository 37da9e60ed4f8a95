import { planNames, plans } from '../../contract/plan.js';
import type { Context } from '../../ports/context.js';
import type { Column, Shown } from '../../ports/view.js';

const columns: readonly Column[] = [
  { key: 'path' },
  { key: 'pets' },
  { key: 'plan' },
  { key: 'perMinute' },
  { key: 'perDay' },
];

/** Where the data of the sandbox lies, how many pets it holds, and what it allows. */
export async function status(context: Context): Promise<Shown> {
  context.checkFields(columns);
  const { path, pets, limits } = await context.sandbox();
  const plan = planNames.find((name) => plans[name].perMinute === limits.perMinute);
  return { kind: 'record', columns, record: { path, pets, plan: plan ?? 'custom', ...limits } };
}
