import { type Failure, type FailureKind, signalExitCodes } from '../failure.js';

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

const failureExitCodes: Readonly<Record<Exclude<FailureKind, 'canceled'>, ExitCode>> = {
  system: {
    code: 1,
    meaning:
      'local failure: disk, configuration, port in use, no SQLite; also a failed `doctor` check, a jq runtime error, or a bug',
  },
  usage: {
    code: 2,
    meaning:
      'usage: bad flag, value or input, an unanswered prompt, or a change with a read-only profile; nothing was sent',
  },
  auth: {
    code: 3,
    meaning: 'authentication: no API key, API key rejected (401, 403), or API key bound to another origin',
  },
  'not-found': { code: 4, meaning: 'not found (404) or gone (410)' },
  rejected: { code: 5, meaning: 'the service rejected the request (400 and other 4xx)' },
  'rate-limited': { code: 6, meaning: 'rate limited for longer than `--max-wait`' },
  service: { code: 7, meaning: 'the service failed on a read (5xx), or its response violates the API spec' },
  network: { code: 8, meaning: 'network: connection refused, DNS, TLS, timeout; nothing was changed' },
  'unknown-outcome': {
    code: 9,
    meaning: 'outcome unknown: a change was sent, its response was lost, invalid or a 5xx, and no retry settled it',
  },
  partial: {
    code: 10,
    meaning: 'partial: some rows were not added, or the list may be incomplete',
  },
};

/** The exit codes of signals; a canceled prompt exits like SIGINT. */
const signalExits = {
  SIGINT: {
    code: signalExitCodes.SIGINT,
    meaning: 'canceled with Ctrl-C (SIGINT) or at a prompt',
  },
  SIGTERM: { code: signalExitCodes.SIGTERM, meaning: 'terminated by SIGTERM' },
  SIGHUP: { code: signalExitCodes.SIGHUP, meaning: 'terminated by SIGHUP' },
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
