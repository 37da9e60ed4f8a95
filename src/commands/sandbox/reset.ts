import type { Plan } from '../../api/plan.js';
import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { canceledError } from '../../failure.js';

export interface ResetOptions {
  readonly plan?: Plan;
  readonly empty?: boolean;
}

/** Puts the sample animals back, or none, once someone has agreed. */
export async function reset(
  context: AppContext,
  { plan, empty = false }: ResetOptions,
): Promise<CommandResult> {
  const data = await context.sandbox();
  const agreed = await context.terminal.prompts.confirm({
    message: `Forget the ${data.pets} pets of the sandbox?`,
    missingInputMessage: 'pass --yes to forget the pets of the sandbox',
    default: false,
  });
  if (!agreed) throw canceledError('the sandbox stays as it is');
  await data.reset({ empty, ...(plan && { plan }) });
  context.terminal.notice(
    empty ? 'the sandbox is empty' : 'the sandbox holds its sample animals again',
  );
  return { kind: 'nothing' };
}
