import type { AppContext } from '../../../app/context.js';
import { type FailureDetails, retryHint } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';

/**
 * Returns a failure as one message, with its hint and the time until a retry makes sense. `screenHint` replaces a missing
 * hint, and the advice to retry the command, which does not fit a screen that stays open.
 */
export async function describeFailure(
  { message, outcome, hint: commandHint, retryAt }: FailureDetails,
  { clock, runtime }: AppContext,
  screenHint?: string,
): Promise<string> {
  const hint = commandHint === undefined || commandHint === retryHint ? screenHint : commandHint;
  const retry = retryAt === undefined ? undefined : `retry in ${formatDuration(retryAt - clock.now())}`;
  const text = [message, outcome, retry].filter((clause) => clause !== undefined).join('; ');
  if (hint === undefined) return text;
  const { formatHint } = await import('../../../format/hint.js');
  return `${text} (${formatHint(hint, runtime.platform)})`;
}
