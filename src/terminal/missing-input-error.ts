import { type Failure, type Hint, usageError } from '../failure.js';
import { formatMissingHint } from '../format/hint.js';
import type { DisableReason, Question } from './run-prompt.js';

/** Returns the usage failure for a question that cannot be asked, and says what disables prompts on a terminal. */
export function missingInputError(
  { message, hint, missing, next = [] }: Question['missingInput'],
  reason: DisableReason | undefined,
): Failure {
  const text = reason === undefined ? message : `${message}; prompts are disabled, because ${reason.clause}`;
  const fullHint = addEnableHint(hint ?? formatMissingHint(missing), reason);
  return usageError('missing_input', text, fullHint, { missing, next });
}

/** Returns the hint, and how to enable prompts in CI and for an AI agent. */
export function addEnableHint(hint: Hint, reason: DisableReason | undefined): Hint {
  if (!reason?.canOverride) return hint;
  return [...(typeof hint === 'string' ? [hint] : hint), ', or set PETSTORE_NO_INPUT=0 to enable prompts'];
}
