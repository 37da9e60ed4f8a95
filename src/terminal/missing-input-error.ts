import { type Failure, usageError } from '../failure.js';
import { formatMissingHint } from '../format/hint.js';
import type { Question } from './run-prompt.js';

/** Returns the usage failure for a question that cannot be asked. */
export function missingInputError({ message, hint, missing, next = [] }: Question['missingInput']): Failure {
  return usageError('missing_input', message, hint ?? formatMissingHint(missing), { missing, next });
}
