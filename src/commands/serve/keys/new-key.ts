import type { AppContext } from '../../../app/context.js';
import type { NewServerKey, ServerKeys } from '../../../app/server-control.js';
import type { Column, CommandResult } from '../../../cli/command-result.js';
import { Failure, usageError } from '../../../failure.js';
import type { ApiKeyDetails } from '../../../server/change-api-keys.js';
import { toKeyRecord } from './list.js';

const columns: readonly Column[] = [
  { key: 'apiKey' },
  { key: 'keyPrefix' },
  { key: 'plan' },
  { key: 'perMinute', format: 'count' },
  { key: 'perDay', format: 'count' },
  { key: 'label' },
  { key: 'expiresAt', title: 'EXPIRES', format: 'time' },
  { key: 'database' },
];

/** Throws a usage error if `--fields` is invalid or hides the API key, which is printed only once. */
export function checkKeyIsPrinted({ terminal, settings: { fields } }: AppContext): void {
  terminal.checkFields(columns);
  if (!fields || fields.includes('apiKey')) return;
  throw usageError(
    'invalid_flag',
    '--fields must include apiKey, because the API key is printed only once',
    'add apiKey to --fields',
  );
}

/**
 * Returns a result that prints a new API key and then saves it: a failed write or a crash leaves no valid API key that is
 * unknown to the user. The server rejects a key that was printed but not saved.
 */
export function newKeyResult<Saved>(
  context: AppContext,
  { database }: ServerKeys,
  { key, prefix, save }: NewServerKey<Saved>,
  details: ApiKeyDetails,
  onSaved: (saved: Saved) => void = () => {},
): CommandResult {
  // A closed descriptor (`>&-`) looks like /dev/null, which Node.js opens instead. Writing to it succeeds.
  const { stdout } = context.runtime.terminal;
  const { notice, warn } = context.terminal;
  if (context.settings.output === 'table') notice('Copy this API key now; it is not shown again.');
  return {
    kind: 'record',
    columns,
    record: { apiKey: key.reveal(), ...toKeyRecord(prefix, details), database },
    onRendered: async () => {
      if (stdout.isClosed) throw closedOutput();
      try {
        onSaved(await save());
      } catch (error) {
        warn('The printed API key is not valid, because it was not saved.');
        throw error;
      }
    },
  };
}

/** Returns the error for a new API key that could not be printed. */
export function closedOutput(): Failure {
  return new Failure('system', {
    code: 'cannot_write',
    message: 'cannot print the API key, because standard output is closed; nothing was changed',
    hint: 'run the command again and read its output',
  });
}
