import type { AnyCommand } from '../../cli/command-spec.js';
import { suggestCommand } from '../../cli/suggest-command.js';
import { usageError } from '../../failure.js';

/**
 * Throws Commander's error for an unknown command if the first argument, `word`, is a misspelled subcommand. Otherwise throws a
 * usage error that does not repeat the argument, which may be a database URL with a password.
 */
export function rejectServeArguments(serve: AnyCommand, word: string): never {
  const names = serve.commands.map((command) => command.name());
  if (suggestCommand(word, [serve.name()], names) !== undefined) {
    serve.error(`unknown command '${word}'`, { code: 'commander.unknownCommand' });
  }
  throw usageError('unknown_command', 'petstore serve takes no arguments; its only subcommand is keys', [
    'run ',
    { words: ['serve', '--help'] },
    ' to list the flags, or pass --database <file> to choose a database',
  ]);
}
