import { type Failure, type FailureKind, signalExitCodes } from '../failure.js';

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

const failureExitCodes: Readonly<Record<Exclude<FailureKind, 'canceled'>, ExitCode>> = {
  system: {
    code: 1,
    meaning:
      'this machine failed: disk, configuration, port in use, no SQLite, a failed check of doctor, an error in a jq program that runs',
  },
  usage: { code: 2, meaning: 'usage: a bad flag, value or input; nothing was sent' },
  auth: {
    code: 3,
    meaning: 'authentication: no key, a rejected one, or one bound to another origin',
  },
  'not-found': { code: 4, meaning: 'not found, or gone' },
  rejected: { code: 5, meaning: 'the service refused the request' },
  'rate-limited': { code: 6, meaning: 'rate limited for longer than `--max-wait`' },
  service: { code: 7, meaning: "the service failed, or its answer is not the interface's" },
  network: { code: 8, meaning: 'network: refused, DNS, TLS, timeout; nothing was changed' },
  'unknown-outcome': {
    code: 9,
    meaning: 'outcome unknown: a create was sent, and whether it happened is not known',
  },
  partial: {
    code: 10,
    meaning: 'partial: some rows were not added, or a list cannot be shown to be whole',
  },
};

/** The exit codes of signals; a canceled prompt exits like SIGINT. */
const signalExits = {
  SIGINT: {
    code: signalExitCodes.SIGINT,
    meaning: 'ended by SIGINT, or a question was cancelled',
  },
  SIGTERM: { code: signalExitCodes.SIGTERM, meaning: 'ended by SIGTERM' },
  SIGHUP: { code: signalExitCodes.SIGHUP, meaning: 'ended by SIGHUP' },
} as const satisfies Record<string, ExitCode>;

/** Every exit code, in the order of the documentation. */
export const exitCodes: readonly ExitCode[] = [
  { code: 0, meaning: 'success' },
  ...Object.values(failureExitCodes),
  ...Object.values(signalExits),
];

export function getExitCode({ kind, details }: Failure): number {
  return kind === 'canceled' ? signalExits[details.signal ?? 'SIGINT'].code : failureExitCodes[kind].code;
}
