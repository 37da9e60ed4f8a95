import { textAction } from '../../app/action.js';
import type { CommandSpec } from '../../cli/command-spec.js';
import { declareAll } from '../../cli/program.js';
import type { CompletionValues } from './complete.js';

/**
 * The hidden command that completion scripts call. Input: the words after `petstore` up to the cursor, unquoted, the
 * one at the cursor last (perhaps empty): `petstore __complete -- pets li`. With `--base64` they are one argument
 * instead, a NUL before each word, for shells that change arguments. Output: a line for each candidate, which replaces the
 * word at the cursor, perhaps with a TAB and a description; then `:` and a directive as the last line. Directives:
 * `done` (a space follows a single candidate), `no-space`, or `files` (no candidates: the shell completes a file).
 * The exit code is 0, whatever the state of the configuration.
 */
export function completeCommand(openValues: () => Promise<CompletionValues>): CommandSpec {
  return {
    name: '__complete',
    summary: 'Print completions for a shell.',
    isHidden: true,
    declare: (declared) => {
      const command = declared.argument('[words...]').option('--base64 <text>');
      command.action(
        textAction(async (words: readonly string[], program) => {
          const { complete } = await import('./complete.js');
          const { base64 } = command.opts();
          const given = base64 === undefined ? words : decodeWords(base64);
          return complete(given, declareAll(program), openValues);
        }),
      );
    },
  };
}

function decodeWords(base64: string): readonly string[] {
  return Buffer.from(base64, 'base64').toString().split('\0').slice(1);
}
