import { DatabaseError, type DatabaseErrorReason } from './sql.js';

/** What PostgreSQL, its client or the network failed with, as what it means for the store. */
export function mapPostgresError(error: unknown, place: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { severity, code = '', message } = error as Error & { severity?: string; code?: string };
  // Only the server tells how severe an error is; what has no such word is about the way to it.
  const trouble = severity === undefined ? 'away' : (reasonForCode(code) ?? 'unusable');
  const reason = [message, code].find((text) => text !== '' && text !== undefined) ?? 'no answer';
  return new DatabaseError(
    trouble,
    `the database ${place} ${descriptions[trouble]}: ${reason}`,
    error,
  );
}

const descriptions = {
  away: 'cannot be reached',
  busy: 'is busy',
  refused: 'refuses',
  unusable: 'cannot be used',
} as const;

/** By SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html), the longest beginning that is known. */
function reasonForCode(code: string): keyof typeof descriptions | undefined {
  return reasonsByCodePrefix.find(([start]) => code.startsWith(start))?.[1];
}

const reasonsByCodePrefix: readonly (readonly [
  string,
  keyof typeof descriptions & DatabaseErrorReason,
])[] = [
  // Connections: broken ones, too many of them, and those of a server that stops, starts, or only copies.
  ['08', 'away'],
  ['25006', 'away'],
  ['53300', 'away'],
  ['57P', 'away'],
  // A deadlock, a lock that was waited for, a statement that took too long.
  ['40', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  // Who may come in, where to, and what for.
  ['28', 'refused'],
  ['3D', 'refused'],
  ['42501', 'refused'],
];
