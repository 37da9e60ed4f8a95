import type { AnyCommand } from '../../../cli/command-spec.js';
import { globalGroup, invalidFlag } from '../../../cli/flag-parsers.js';
import { usageError } from '../../../failure.js';

/** What stands before `keys` is a flag of the store that is not started: nobody would look at it. */
export function refuseFlags(serve: AnyCommand): void {
  const lost = serve.options.find(
    (option) =>
      option.helpGroupHeading !== globalGroup &&
      serve.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (!lost) return;
  throw invalidFlag(
    `${lost.long} before "keys" is a flag of the store, which is not started`,
    'petstore serve keys … takes its flags at the end',
  );
}

/** A word that is no command may be the address of a database, with its password: it is not repeatable. */
export function refuseWords(serve: AnyCommand): void {
  if (serve.args.length === 0) return;
  throw usageError(
    'unknown_command',
    'petstore serve takes no arguments, and its one command is keys',
    'petstore serve --help shows the flags; --database names a database',
  );
}
