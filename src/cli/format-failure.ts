import { Failure } from '../failure.js';
import { formatDuration } from '../format/duration.js';
import { formatJson } from '../format/json.js';
import { type OutputFormat, outputFormats } from '../format/output-format.js';
import { toSafeText, truncate } from '../format/safe-text.js';
import type { Style } from '../terminal/output.js';
import { getExitCode } from './exit-codes.js';

/** Returns what was thrown as a failure; anything that petstore did not throw on purpose is a bug. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('system', {
    code: 'internal_error',
    message: `unexpected error: ${message}`,
    hint: 'run the command again with --debug and report the output',
    cause: error,
  });
}

/** Formats a failure for a person: message, time to retry, hint. Messages are escaped and cut to 500 characters. */
export function formatFailure(failure: Failure, style: Style, now: number): string {
  const { message, hint, retryAt, isSilent } = failure.details;
  if (isSilent) return '';
  const text = toSafeText(truncate(message, 500));
  const lines = [
    failure.kind === 'canceled' ? toSentences(text) : `${style.error('error:')} ${text}`,
    ...(retryAt === undefined
      ? []
      : [`  retry in ${formatDuration(Math.max(0, retryAt - now))}, at ${localTime(retryAt, now)}`]),
    ...(hint === undefined ? [] : [`  ${style.dim('hint:')} ${toSafeText(hint)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns `Canceled. Nothing was sent.` for `canceled; nothing was sent`. */
function toSentences(message: string): string {
  return message
    .split('; ')
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`)
    .join(' ');
}

/** Formats a failure as one line of JSON, without absent fields. */
export function formatFailureJson(failure: Failure): string {
  const { code, message, hint, status, retryAt } = failure.details;
  const error = {
    code,
    message: truncate(message, 500),
    hint,
    status,
    exitCode: getExitCode(failure),
    retryAt: retryAt === undefined ? undefined : new Date(retryAt).toISOString(),
  };
  return `${formatJson({ error })}\n`;
}

/** Returns the output format that an unparseable command line asks for. */
export function guessFormat(argv: readonly string[], fallback: string | undefined): OutputFormat {
  const flags = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  if (flags.some((word) => /^--j(?:son$|q(?:=|$))/.test(word))) return 'json';
  const asked = flags.map((word, index) =>
    word === '-o' || word === '--output' ? flags[index + 1] : /^(?:-o|--output=)(.+)$/.exec(word)?.[1],
  );
  const known = [...asked, fallback].find((word) => outputFormats.includes(word as OutputFormat));
  return (known as OutputFormat | undefined) ?? 'table';
}

function localTime(time: number, now: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? date.toTimeString().slice(0, 8) : date.toLocaleString('sv');
}
