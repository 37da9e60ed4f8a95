import { type Failure, usageError } from '../failure.js';
import { formatMissingHint } from '../format/hint.js';
import type { Question } from './run-prompt.js';

/** Returns the usage failure for a question that cannot be asked, and says what disables prompts on a terminal. */
export function missingInputError(
  { message, hint, missing, next = [] }: Question['missingInput'],
  disabledBy: string | undefined,
): Failure {
  const text = describeDisabledPrompts(message, disabledBy);
  return usageError('missing_input', text, hint ?? formatMissingHint(missing), { missing, next });
}

export function describeDisabledPrompts(message: string, disabledBy: string | undefined): string {
  return disabledBy === undefined ? message : `${message}; prompts are disabled, because ${disabledBy}`;
}
