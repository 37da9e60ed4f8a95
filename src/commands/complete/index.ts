import { textAction } from '../../app/action.js';
import { type CommandSpec, defineCommand } from '../../cli/command-spec.js';
import { declareAll } from '../../cli/program.js';
import type { CompletionValues } from './complete.js';

/**
 * The hidden command of the completion scripts. Input: the words after `petstore` up to the cursor, unquoted, the last
 * one perhaps empty: `petstore __complete -- pets li`. Shells that change arguments pass `--base64` and one argument
 * with a NUL before each word. Output: one line per candidate, which replaces the word at the cursor, with an optional
 * TAB and description; then `:` and a directive. Directives: `done` (a space follows a single candidate), `no-space`, or
 * `files` (no candidates: the shell completes a file). The exit code is always 0.
 */
export function completeCommand(openValues: () => Promise<CompletionValues>): CommandSpec {
  const spec = defineCommand('__complete', 'Print completions for a shell.', (declared) => {
    const command = declared.argument('[words...]').option('--base64 <text>');
    command.action(
      textAction(async (words: readonly string[], program) => {
        const { complete } = await import('./complete.js');
        const { base64 } = command.opts();
        const typedWords = base64 === undefined ? words : decodeWords(base64);
        return complete(typedWords, declareAll(program), openValues);
      }),
    );
  });
  return { ...spec, isHidden: true };
}

function decodeWords(base64: string): readonly string[] {
  return Buffer.from(base64, 'base64').toString().split('\0').slice(1);
}
