import { textAction } from '../../app/action.js';
import { defineCommand } from '../../cli/command-spec.js';
import { choice } from '../../cli/flags.js';
import { declareAll } from '../../cli/program.js';

/** The scripts ask `petstore __complete`. Nothing typed is evaluated. */
const scripts = {
  bash: () => import('../../../completions/petstore.bash'),
  zsh: () => import('../../../completions/_petstore'),
  fish: () => import('../../../completions/petstore.fish'),
  powershell: () => import('../../../completions/petstore.ps1'),
};

type Shell = keyof typeof scripts;

const shells = Object.keys(scripts) as readonly Shell[];

export const completion = defineCommand('completion', 'Print a shell completion script.', () => ({
  declare: (command) =>
    command
      .argument('<shell>', shells.join(', '), choice('the shell', shells))
      .action(textAction(async (_runtime, _program, shell: Shell) => (await scripts[shell]()).default)),
  examples: [
    ['petstore completion bash > petstore.bash', 'Save the completion script for bash'],
    ['autoload -Uz compinit; compinit; eval "$(petstore completion zsh)"', 'Enable completion in this zsh session'],
  ],
}));

/**
 * The hidden command of the completion scripts. Input: the words after `petstore` up to the cursor, unquoted, the last
 * one perhaps empty: `petstore __complete -- pets li`. Shells that change arguments pass `--base64` and one argument
 * with a NUL before each word. Output: one line per candidate, which replaces the word at the cursor, with an optional
 * TAB and description; then `:` and a directive. Directives: `done` (a space follows a single candidate), `no-space`, or
 * `files` (no candidates: the shell completes a file). The exit code is always 0.
 */
export const completeCommand = defineCommand('__complete', 'Print completions for a shell.', () => ({
  declare: (command) =>
    command
      .argument('[words...]')
      .option('--base64 <text>')
      .action(
        textAction(async (runtime, program, words: readonly string[], { base64 }) => {
          const { complete } = await import('./complete.js');
          const typedWords = base64 === undefined ? words : decodeWords(base64);
          return complete(typedWords, declareAll(program), async () =>
            (await import('../../app/completion-values.js')).openCompletionValues(runtime),
          );
        }),
      ),
}));

function decodeWords(base64: string): readonly string[] {
  return Buffer.from(base64, 'base64').toString().split('\0').slice(1);
}
