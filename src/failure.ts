/** Everything that can end a command. `exit-codes.ts` gives each its code. */
export type FailureKind =
  | 'machine'
  | 'usage'
  | 'auth'
  | 'missing'
  | 'refused'
  | 'limited'
  | 'service'
  | 'network'
  | 'unknown-outcome'
  | 'partial'
  | 'cancelled';

export interface FailureDetails {
  /** Machine-readable: the service's own code where it sent one, else ours, in snake case. */
  readonly code: string;
  /** What happened, for a person, without a full stop. May hold text from outside, still raw. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** HTTP status of the answer that failed. */
  readonly status?: number | undefined;
  /** When to try again, in milliseconds since the Unix epoch. */
  readonly retryAt?: number | undefined;
  /** The signal that cancelled the command. */
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined;
  readonly cause?: unknown;
}

/** The one error that petstore throws on purpose: worded by who knows the meaning, printed once. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly details: FailureDetails;

  constructor(kind: FailureKind, details: FailureDetails) {
    super(details.message, { cause: details.cause });
    this.kind = kind;
    this.details = details;
  }
}

/** A failure of usage: nothing was sent, exit 2. */
export function usage(code: string, message: string, hint?: string): Failure {
  return new Failure('usage', { code, message, hint });
}

/** What somebody ends who was asked; `what` says what that means, where it is not plain. */
export function cancelled(what?: string): Failure {
  const message = what === undefined ? 'cancelled' : `cancelled; ${what}`;
  return new Failure('cancelled', { code: 'cancelled', message, signal: 'SIGINT' });
}

/** The value of `work`, or nothing and the failure told to `onProblem`, if to anybody. */
export function tolerate<Value>(
  work: () => Value,
  onProblem: (problem: Failure) => void = () => {},
): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    onProblem(error);
    return undefined;
  }
}

/** Hint for a missing optional package. */
export const installOptional = 'install petstore again with --include=optional';

/** Hint for a response that another program sent. */
export const checkBaseUrl = 'check that the base URL leads to the store, version segment included';

/** The exit code of a process that a signal ends: 128 plus the signal's number (POSIX, kill(1)). */
export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
