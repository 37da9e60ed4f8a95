import { textAction } from '../../app/action.js';
import { addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { choice } from '../../cli/flags.js';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completion = defineCommand('completion', 'Print a shell completion script.', (command) => {
  command
    .argument('<shell>', shells.join(', '), choice('the shell', shells))
    .action(
      textAction(
        async (_runtime, _program, shell: (typeof shells)[number]) =>
          (await import('../../docgen/completion-scripts.js')).completionScripts[shell],
      ),
    );
  addExamples(command, [
    ['petstore completion bash > petstore.bash', 'Save the completion script for bash'],
    ['autoload -Uz compinit; compinit; eval "$(petstore completion zsh)"', 'Enable completion in this zsh session'],
  ]);
  addNotes(
    command,
    'The script runs petstore each time you press Tab. It sends no request and never evaluates what you typed.',
    'bash: run `petstore completion bash > ~/.petstore.bash`, then add `source ~/.petstore.bash` to `~/.bashrc`. You do not need the package bash-completion.',
    'zsh: save the script as `_petstore` in a directory of `$fpath` before `compinit` runs. Or evaluate the script after `compinit`.',
    'fish: run `petstore completion fish > ~/.config/fish/completions/petstore.fish`.',
    'PowerShell: add this line to `$PROFILE`: `petstore completion powershell | Out-String | Invoke-Expression`',
  );
});
