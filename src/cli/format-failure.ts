import { Failure, type FailureDetails, type Hint } from '../failure.js';
import { formatDuration, formatLocalTime } from '../format/duration.js';
import { type FailedCommand, formatHint, formatNextCommands, toMissingJson } from '../format/hint.js';
import { formatJson } from '../format/json.js';
import { truncate } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap.js';
import type { Style } from '../terminal/output.js';
import { getExitCode } from './exit-codes.js';

/** Returns a thrown value as a failure; any value but a `Failure` is a bug of petstore. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('system', {
    code: 'internal_error',
    message: `unexpected error: ${message}`,
    hint: 'run the command again with --verbose and report the output',
    cause: error,
  });
}

interface FailureLayout {
  readonly style: Style;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Columns of the terminal. */
  readonly width?: number | undefined;
}

/**
 * Formats a failure for a person: message, outcome, time to retry, hint. The text is escaped and wrapped to the width of
 * a terminal.
 */
export function formatFailure(failure: Failure, { style, now, width }: FailureLayout): string {
  const { retryAt, isSilent } = failure.details;
  if (isSilent) return '';
  const { hint } = failure.details;
  if (failure.kind === 'canceled') {
    return `${wrapMessage(toSentences(failure.details), width)}${layOutHint(hint, style, width)}`;
  }
  const error = wrapMessage(`error: ${cutMessage(failure)}`, width).replace('error:', style.error('error:'));
  const retry =
    retryAt === undefined
      ? ''
      : `  retry in ${formatDuration(Math.max(0, retryAt - now))}, at ${formatLocalTime(retryAt, now)}\n`;
  return `${error}${retry}${layOutHint(hint, style, width)}`;
}

function layOutHint(hint: Hint | undefined, style: Style, width: number | undefined): string {
  if (hint === undefined) return '';
  const parts = typeof hint === 'string' ? [hint] : hint;
  return wrapMessage(['hint: ', ...parts], width, '  ', '    ').replace('hint:', style.dim('hint:'));
}

/** Returns `Canceled. Nothing was sent.` for the message `canceled` and the outcome `nothing was sent`. */
function toSentences({ message, outcome }: FailureDetails): string {
  const clauses = outcome ? [message, outcome] : [message];
  return clauses.map((clause) => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`).join(' ');
}

/** Returns the message, cut to 500 characters, with the whole outcome. */
function cutMessage({ details: { message, outcome } }: Failure): string {
  const text = truncate(message, 500);
  return outcome ? `${text}; ${outcome}` : text;
}

/** Formats a failure as one line of JSON, without absent fields. */
export function formatFailureJson(failure: Failure, command: FailedCommand): string {
  const { code, hint, status, retryAt, missing } = failure.details;
  const next = formatNextCommands(failure, command);
  const error = {
    code,
    message: cutMessage(failure),
    hint: hint && formatHint(hint),
    status,
    exitCode: getExitCode(failure),
    retryAt: retryAt === undefined ? undefined : new Date(retryAt).toISOString(),
    missing: missing && toMissingJson(missing),
    next: next.length > 0 ? next : undefined,
  };
  return `${formatJson({ error })}\n`;
}
