import type { AppContext } from '../../../app/context.js';
import type { FailureDetails } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';

/** Returns a failure as one message, with its hint and the time until a retry makes sense. */
export async function describeFailure(
  { message, hint, retryAt }: FailureDetails,
  { clock, runtime }: AppContext,
): Promise<string> {
  const retry = retryAt === undefined ? '' : `; retry in ${formatDuration(retryAt - clock.now())}`;
  if (hint === undefined) return `${message}${retry}`;
  const { formatHint } = await import('../../../format/hint.js');
  return `${message}${retry} (${formatHint(hint, runtime.platform)})`;
}
