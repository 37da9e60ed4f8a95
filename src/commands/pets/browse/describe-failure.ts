import { type FailureDetails, retryHint } from '../../../failure.js';
import { formatDuration } from '../../../format/duration.js';
import { formatHint } from '../../../format/hint.js';
import type { FormatMessage } from './state.js';

/**
 * Returns a failure as one message, with its hint and the time until a retry makes sense, which counts down. `screenHint`
 * replaces a missing hint, and the advice to retry the command, which does not fit a screen that stays open.
 */
export function describeFailure(
  { message, outcome, hint: commandHint, retryAt }: FailureDetails,
  screenHint?: string,
): FormatMessage {
  const hint = commandHint === undefined || commandHint === retryHint ? screenHint : commandHint;
  const end = hint === undefined ? '' : ` (${formatHint(hint)})`;
  const reason = outcome === undefined ? message : `${message}; ${outcome}`;
  return (now) => `${reason}${formatCountdown('; retry', retryAt, now)}${end}`;
}

/** Returns `; retry in 42s` for the start `; retry`; nothing once the time has come. */
export function formatCountdown(start: string, until: number | undefined, now: number): string {
  return until === undefined || until <= now ? '' : `${start} in ${formatDuration(until - now)}`;
}
