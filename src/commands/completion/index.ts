import { textAction } from '../../app/action.js';
import { addExamples, addNotes, defineCommand } from '../../cli/command-spec.js';
import { choice } from '../../cli/flags.js';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completion = defineCommand('completion', 'Print the completion script of a shell.', (command) => {
  command
    .argument('<shell>', shells.join(', '), choice('the shell', shells))
    .action(
      textAction(
        async (_runtime, _program, shell: (typeof shells)[number]) =>
          (await import('../../docgen/completion-scripts.js')).completionScripts[shell],
      ),
    );
  addExamples(command, [
    ['petstore completion bash > petstore.bash', 'a script to source from ~/.bashrc'],
    ['autoload -Uz compinit; compinit; eval "$(petstore completion zsh)"', 'for this session of zsh'],
  ]);
  addNotes(
    command,
    'The script runs petstore at each Tab. It sends no request, and evaluates nothing that was typed.',
    'bash: `petstore completion bash > ~/.petstore.bash`, and `. ~/.petstore.bash` in `~/.bashrc`; bash-completion is not needed.',
    'zsh: write it as `_petstore` into a directory of `$fpath`, before `compinit` runs, or evaluate it after that.',
    'fish: `petstore completion fish > ~/.config/fish/completions/petstore.fish`.',
    'PowerShell: add `petstore completion powershell | Out-String | Invoke-Expression` to `$PROFILE`.',
  );
});
