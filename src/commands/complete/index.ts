import type { Word } from '../../cli/command-spec.js';
import type { CompletionValues } from './candidates.js';

/**
 * The hidden command that completion scripts call. Input: the words after `petstore` up to the cursor, unquoted, the
 * one at the cursor last (perhaps empty): `petstore __complete -- pets li`. With `--base64` they are one argument
 * instead, a NUL before each word, for shells that change arguments. Output: a line for each candidate, which replaces the
 * word at the cursor, perhaps with a TAB and a description; then `:` and a directive as the last line. Directives:
 * `done` (a space follows a single candidate), `no-space`, or `files` (no candidates: the shell completes a file).
 * The exit code is 0, whatever the state of the configuration.
 */
export function completeCommand(openValues: () => Promise<CompletionValues>): Word {
  return {
    name: '__complete',
    purpose: 'Print completions for a shell.',
    isHidden: true,
    declare: (command, { print, whole, manualOf }) => {
      command
        .argument('[words...]')
        .option('--base64 <text>')
        .action(
          print(async (words: readonly string[], { base64 }: { base64?: string }) =>
            (await import('./complete.js')).complete(
              base64 === undefined
                ? words
                : Buffer.from(base64, 'base64').toString().split('\0').slice(1),
              whole(),
              manualOf,
              openValues,
            ),
          ),
        );
    },
  };
}
