import type { ErrorCode, ServiceErrorCode } from './error-codes.js';

/** The kinds of failure. `cli/exit-codes.ts` maps each to an exit code. */
export type FailureKind =
  /** The local system: disk, configuration, locks, missing packages, bugs. */
  | 'system'
  | 'usage'
  | 'auth'
  | 'not-found'
  | 'rejected'
  | 'rate-limited'
  | 'service'
  | 'network'
  | 'unknown-outcome'
  | 'partial'
  | 'canceled';

/**
 * The change that a request has made: none, the one that was asked for, or unknown, if the request may have reached the
 * service and no response has settled its outcome.
 */
export type Effect = 'none' | 'made' | 'unknown';

/** The outcome of a request that was not sent. */
export const nothingSent = 'nothing was sent';

/** Text with commands, which `format/hint.ts` quotes for the user's shell. */
export type Hint = string | HintParts;
export type HintParts = readonly (string | Command)[];

/** A petstore command in a hint. */
export interface Command {
  /** The words after `petstore`. A placeholder such as `<url>` is a value that only the user knows. */
  readonly words: readonly (string | { readonly placeholder: string })[];
  /** True if the words are flags to add to the command line that failed. */
  readonly isAddition?: true;
  /** True if a program may run it without a change, since it resumes, settles or retries: the `next` of the error object lists it. */
  readonly isNext?: true;
}

/** A flag or an argument that would have answered a prompt. */
export interface MissingInput {
  /** A flag as in the help, `--name <name>`, or the name of an argument, `petId`. */
  readonly syntax: string;
  readonly choices?: readonly string[] | undefined;
}

export interface FailureDetails {
  /** The service's code if it sent one, otherwise petstore's. */
  readonly code: ErrorCode | ServiceErrorCode;
  /** What happened, without a final period. May contain unescaped text from the service. */
  readonly message: string;
  /** What became of the request, as a clause after the message: `nothing was sent`. */
  readonly outcome?: string | undefined;
  /** What the user can do about it. */
  readonly hint?: Hint | undefined;
  /** What would have answered a prompt. */
  readonly missing?: readonly MissingInput[];
  /** HTTP status of the failed response. */
  readonly status?: number | undefined;
  /** What the request has changed, if it would have changed anything. */
  readonly effect?: Effect | undefined;
  /** True if the API rejected the content of the request, which it therefore never carried out. */
  readonly isContentError?: boolean;
  /** When to retry, in milliseconds since the Unix epoch. */
  readonly retryAt?: number | undefined;
  /** The signal that canceled the command. */
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined;
  /** True if a person gets no message, only the exit code. */
  readonly isSilent?: boolean;
  readonly cause?: unknown;
}

/**
 * The only error that reaches the user; other error classes are converted to it. Its message ends with the outcome.
 * `cli/format-failure.ts` prints it.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly kind: FailureKind;
  readonly details: FailureDetails;

  constructor(kind: FailureKind, details: FailureDetails) {
    const { message, outcome, cause } = details;
    super(outcome ? `${message}; ${outcome}` : message, { cause });
    this.kind = kind;
    this.details = details;
  }
}

/** Returns a failure for bad input: no request was sent, exit code 2. */
export function usageError(
  code: ErrorCode,
  message: string,
  hint?: Hint,
  more?: Pick<FailureDetails, 'missing' | 'outcome'>,
): Failure {
  return new Failure('usage', { code, message, hint, ...more });
}

/** Returns a usage failure for input that cannot be read; `reason` is a Node.js error code or plain text. */
export function unreadableInputError(name: string, reason: string, hint?: Hint): Failure {
  return usageError('unreadable_input', `cannot read ${name}: ${unreadableReasons.get(reason) ?? reason}`, hint);
}

const unreadableReasons = new Map([
  ['ENOENT', 'no such file'],
  ['ENOTDIR', 'no such file'],
  ['EISDIR', 'is a directory'],
  ['EACCES', 'permission denied'],
]);

/** Returns the failure for a user who canceled a prompt: exit code 130, printed as `Canceled.`. */
export function canceledError(): Failure {
  return new Failure('canceled', { code: 'cancelled', message: 'canceled', signal: 'SIGINT' });
}

/** Returns what `work` returns. If it throws a `Failure`, passes it to `onFailure` and returns `undefined`. */
export function catchFailure<Value>(
  work: () => Value,
  onFailure: (failure: Failure) => void = () => {},
): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    onFailure(error);
    return undefined;
  }
}

/** The command line that failed. In the text of a hint it is empty. */
export const sameCommand: Command = { words: [], isAddition: true, isNext: true };

/** Hint for a failure that another attempt may avoid. */
export const retryHint: Hint = ['retry the command', sameCommand];

/** Hint for a missing optional package. */
export const installOptionalHint = 'reinstall petstore with --include=optional';

/** Hint for a response that does not look like the service's. */
export const checkBaseUrlHint = 'check the base URL, including a version segment such as /v1';

/** Exit codes after a signal: 128 plus the signal's number, as shells report it (POSIX 2.8.2). */
export const signalExitCodes = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
