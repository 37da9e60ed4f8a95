import type { FailureKind } from './failure.js';

/** What a process ends with (`cli.md`, Exit codes), and the kind of failure that leads there. */
export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
  readonly kind?: FailureKind;
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
}

/** The only table of exit codes. */
export const exitCodes: readonly ExitCode[] = [
  { code: 0, meaning: 'success' },
  {
    code: 1,
    meaning:
      'this machine failed: disk, configuration, port in use, no SQLite, a failed check of doctor',
    kind: 'machine',
  },
  { code: 2, meaning: 'usage: a bad flag, value or input; nothing was sent', kind: 'usage' },
  {
    code: 3,
    meaning: 'authentication: no key, a rejected one, or one bound to another origin',
    kind: 'auth',
  },
  { code: 4, meaning: 'not found, or gone', kind: 'missing' },
  { code: 5, meaning: 'the service refused the request', kind: 'refused' },
  { code: 6, meaning: 'rate limited for longer than --max-wait', kind: 'limited' },
  { code: 7, meaning: "the service failed, or its answer is not the interface's", kind: 'service' },
  {
    code: 8,
    meaning: 'network: refused, DNS, TLS, timeout; nothing was changed',
    kind: 'network',
  },
  {
    code: 9,
    meaning: 'outcome unknown: a create was sent, and whether it happened is not known',
    kind: 'unknown-outcome',
  },
  {
    code: 10,
    meaning: 'partial: some rows were not added, or a list cannot be shown to be whole',
    kind: 'partial',
  },
  { code: 130, meaning: 'ended by SIGINT, or a question was cancelled', signal: 'SIGINT' },
  { code: 143, meaning: 'ended by SIGTERM', signal: 'SIGTERM' },
  { code: 129, meaning: 'ended by SIGHUP', signal: 'SIGHUP' },
];
